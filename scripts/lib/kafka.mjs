import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run, step, withRetry } from './commands.mjs';
import { cache, exists, replaceFolder } from './paths.mjs';
import { ensureJava, ensureMaven } from './system.mjs';

const kafkaVersion = '4.1.2';
/** The newest that speaks the slf4j 1.7 API which this Kafka is built on; without one its log is lost. */
const slf4jVersion = '1.7.36';

const pom = `<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>urr</groupId><artifactId>test-broker</artifactId><version>1</version><dependencies>
<dependency><groupId>org.apache.kafka</groupId><artifactId>kafka_2.13</artifactId><version>${kafkaVersion}</version></dependency>
<dependency><groupId>org.slf4j</groupId><artifactId>slf4j-simple</artifactId><version>${slf4jVersion}</version></dependency>
</dependencies></project>
`;
const copyGoal = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies';

/** A real broker for the tests. Answers null when it is there, or the reason why it cannot be had. */
export async function ensureKafka() {
  const folder = join(cache, 'kafka');
  const lackingJava = await ensureJava();
  if (lackingJava) return lackingJava;
  if (await exists(join(folder, 'libs', `kafka_2.13-${kafkaVersion}.jar`))) return null;
  const lackingMaven = await ensureMaven();
  if (lackingMaven) return lackingMaven;
  try {
    await step(`fetching Kafka ${kafkaVersion}`, () =>
      replaceFolder(folder, async (draft) => {
        await writeFile(join(draft, 'pom.xml'), pom);
        const args = ['-B', '-q', '-f', join(draft, 'pom.xml'), copyGoal, `-DoutputDirectory=${join(draft, 'libs')}`];
        await withRetry(async () => {
          await rm(join(draft, 'libs'), { recursive: true, force: true });
          await run('mvn', args, { cwd: draft });
        });
      }),
    );
    return null;
  } catch (error) {
    return error.message;
  }
}
