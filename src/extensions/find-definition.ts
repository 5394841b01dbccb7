import type { CustomResourceDefinition } from '../api/apiextensions/v1.types.ts'
import type { ObjectReader } from '../catalog/connect.ts'
import { getKind } from '../catalog/define.ts'
import { isStatusError } from '../meta/status.ts'
import { CUSTOM_RESOURCE_DEFINITIONS } from '../resources/kinds.ts'

/** Returns the stored definition of a name, or undefined. */
export const findDefinition = (access: ObjectReader, name: string): Promise<CustomResourceDefinition | undefined> =>
  getKind(access, CUSTOM_RESOURCE_DEFINITIONS, '', name).catch(error => {
    if (isStatusError(error, 'NotFound')) return undefined
    throw error
  })
