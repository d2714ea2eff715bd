// Makes schemas/integrations.v1.json, which editors check integrations.yaml against, from the format's own source.
// `--check` only compares.
import { z } from 'zod';
import { createDeclarations, inputDeclaration } from '../../src/integrations/file/declaration.ts';
import { PROVIDERS } from '../../src/providers/providers.ts';
import { writeGenerated } from './generated-file.ts';

const schema = z.toJSONSchema(createDeclarations(PROVIDERS).document, {
  io: 'input',
  target: 'draft-7',
  override({ zodSchema, jsonSchema }) {
    // Editors know JSON Schema's own schema. Beside a $ref, draft 7 ignores everything else.
    if (zodSchema === inputDeclaration) jsonSchema.allOf = [{ $ref: 'http://json-schema.org/draft-07/schema#' }];
  },
});
const titled = { title: 'Steward’s integrations file', ...schema };
writeGenerated('schemas/integrations.v1.json', `${JSON.stringify(titled, null, 2)}\n`, 'scripts/generate/integrations-schema.ts');
