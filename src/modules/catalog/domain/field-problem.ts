/** One reason why something cannot be taken or sold as it is. `field` is dotted: `phases.1.opensAt`. */
export interface FieldProblem {
  readonly field: string;
  readonly message: string;
}
