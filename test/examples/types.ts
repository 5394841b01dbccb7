import { join } from 'node:path'
import { TypeRegistry } from '../../src/schema/idl.ts'
import { META_V1 } from '../../src/schema/meta-types.ts'

export const types = new TypeRegistry().addFile('meta', META_V1).addFile('library', join(import.meta.dirname, 'library/v1.types'))
