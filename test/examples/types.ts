import { join } from 'node:path'
import { declarationsOf } from '../../src/api/packages.ts'
import { TypeRegistry } from '../../src/schema/idl.ts'

export const types = new TypeRegistry()
  .addFile('meta', declarationsOf('meta'))
  .addFile('library', join(import.meta.dirname, 'library/v1.types'))
