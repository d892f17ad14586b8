import { configSchema } from '#app/config.ts';
import { migrationSets } from '#app/migrations.ts';
import { moduleDescriptions } from '#app/modules.ts';
import { openApiFacts } from '#app/routing.ts';
import { renderConfigReference } from '#platform/config/index.ts';
import { errorSections } from '#platform/error-sections.ts';
import { buildOpenApi } from '#platform/http/openapi.ts';
import { generateClient } from '../client/generate-client.ts';
import { renderHeaderNames } from '../client/header-names.ts';
import type { OpenApiDocument } from '../client/openapi.ts';
import { renderSandboxCards } from '../client/sandbox-cards.ts';
import { generateScripts } from '../lua/generate.ts';
import { renderCommandLine } from './cli.ts';
import { renderDatabase } from './database.ts';
import { renderErrors } from './errors.ts';
import { eventsDocument, renderEvents } from './events.ts';
import { type GeneratedFile, notice } from './generated-file.ts';
import { withMigratedDatabase } from './scratch-database.ts';

/** Every generated file of the project, as it should be now. Writes nothing. */
export async function generateAll(root: string): Promise<GeneratedFile[]> {
  const openapi = json(buildOpenApi({ ...openApiFacts, modules: moduleDescriptions }));
  const schemas = migrationSets.map((set) => set.schema);
  return [
    reference('errors.md', renderErrors(errorSections(moduleDescriptions))),
    reference('events.md', renderEvents(moduleDescriptions)),
    reference('events.json', json(eventsDocument(moduleDescriptions))),
    reference('config.md', `${notice}\n\n${renderConfigReference(configSchema)}`),
    reference('cli.md', await renderCommandLine()),
    reference('openapi.json', openapi),
    reference('database.md', await withMigratedDatabase((database) => renderDatabase(database, schemas))),
    {
      path: 'web/src/api/client.generated.ts', // Read as any outsider would read it.
      text: generateClient(JSON.parse(openapi) as OpenApiDocument),
    },
    { path: 'web/src/api/names.generated.ts', text: renderHeaderNames() },
    { path: 'web/src/api/sandbox-cards.generated.ts', text: renderSandboxCards() },
    ...generateScripts(root),
  ];
}

function reference(name: string, text: string): GeneratedFile {
  return { path: `docs/reference/${name}`, text };
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
