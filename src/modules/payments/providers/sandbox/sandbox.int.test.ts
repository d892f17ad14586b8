import { aSandboxStage } from '../../testing/a-sandbox-stage.ts';
import { describeProvider } from '../conformance.ts';

describeProvider('the sandbox', aSandboxStage);
