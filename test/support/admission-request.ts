import type { ResourceDefinition } from '../../src/catalog/definition.ts'
import type { AdmissionRequest } from '../../src/registry/types.ts'

/** A request to create the object, as admission plugins see it; `parts` are put over it. */
export const admissionRequest = (definition: ResourceDefinition, object: object, parts: object = {}): AdmissionRequest =>
  ({
    operation: 'CREATE',
    subresource: '',
    name: '',
    served: { definition, version: definition.hub },
    object,
    ...parts,
  }) as unknown as AdmissionRequest

/** Returns the message of the error that a plugin throws, or undefined if it allows the request. */
export async function refusal(work: Promise<unknown> | undefined): Promise<string | undefined> {
  try {
    await work
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}
