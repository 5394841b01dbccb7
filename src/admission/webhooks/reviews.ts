import type { Features } from '../../lifecycle/gates.ts'
import type { AdmissionRequest } from '../../registry/types.ts'
import type { AdmissionPlugin } from '../chain.ts'

/** Reviews by group, by which clients authenticate and are authorized. */
const REVIEWS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['authentication.k8s.io', new Set(['selfsubjectreviews', 'tokenreviews'])],
  ['authorization.k8s.io', new Set(['localsubjectaccessreviews', 'selfsubjectaccessreviews', 'selfsubjectrulesreviews', 'subjectaccessreviews'])],
])

const isReview = ({ served: { version } }: AdmissionRequest): boolean => REVIEWS.get(version.group)?.has(version.names.plural) === true

const PLUGINS = ['MutatingAdmissionWebhook', 'ValidatingAdmissionWebhook']

/** Returns a plugin, without reviews if it calls webhooks and those of the release do not see them: a webhook that fails would lock all users out. Others are returned unchanged. */
export const withoutReviews = (plugin: AdmissionPlugin, features: Features): AdmissionPlugin =>
  PLUGINS.includes(plugin.name) && features.enabled('ExcludeAdmissionWebhookVirtualResources')
    ? { ...plugin, handles: request => !isReview(request) && plugin.handles(request) }
    : plugin
