import type { AdmissionPlugin } from '../../src/admission/chain.ts'
import { isAbout, refuse } from '../../src/admission/refuse.ts'

/** RequireOwner: a new ConfigMap names its owner in the label `owner`. */
export const requireOwner = (): AdmissionPlugin => ({
  name: 'RequireOwner',
  handles: request => request.operation === 'CREATE' && isAbout(request, 'configmaps'),
  validate: async request => {
    if (request.object?.metadata.labels?.owner === undefined) throw refuse(request, 'the label owner is required')
  },
})
