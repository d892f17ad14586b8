/** Shape and colour together: a grade is known without seeing colours. Paths on a circle of radius 10 round the origin. */
const shapes = [
  'M10 0A10 10 0 1 1-10 0A10 10 0 1 1 10 0Z',
  'M-7.5-8.5H7.5A1 1 0 0 1 8.5-7.5V7.5A1 1 0 0 1 7.5 8.5H-7.5A1 1 0 0 1-8.5 7.5V-7.5A1 1 0 0 1-7.5-8.5Z',
  'M0-10.5 10.5 0 0 10.5-10.5 0Z',
  'M0-9.5 10 8.5H-10Z',
  'M-5-9H5L10 0 5 9H-5L-10 0Z',
  'M-10-8.5H10L0 9.5Z',
] as const;

export function gradeShape(index: number): string {
  return shapes[index % shapes.length] ?? shapes[0];
}

/** The name of the CSS variable. */
export function gradeColour(index: number): string {
  return `--grade-${(index % shapes.length) + 1}`;
}
