import type { AdmissionPlugin } from '../admission/chain.ts'
import { forbiddenError } from '../meta/status.ts'

/** Nothing is created of a kind whose definition is being deleted. */
export const terminatingKinds: AdmissionPlugin = {
  name: 'TerminatingCustomResources',
  handles: ({ operation, subresource, served: { version } }) =>
    operation === 'CREATE' && subresource === '' && version.advertisedVerbs?.includes('create') === false,
  mutate: async ({ served: { version }, object, name }) => {
    const gr = { group: version.group, resource: version.names.plural }
    throw forbiddenError(gr, object?.metadata.name ?? name, 'create not allowed while custom resource definition is terminating')
  },
}
