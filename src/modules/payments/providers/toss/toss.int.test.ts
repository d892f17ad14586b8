import { aTossStage } from '../../testing/a-toss-stage.ts';
import { describeProvider } from '../conformance.ts';

describeProvider('Toss Payments', aTossStage);
