import type { Features } from '../../lifecycle/gates.ts'
import type { AdmissionPlugin } from '../chain.ts'
import { isReview } from '../matching.ts'

const PLUGINS = ['MutatingAdmissionWebhook', 'ValidatingAdmissionWebhook']

/**
 * Returns a plugin, without reviews if it calls webhooks and those of the release do not see them: a webhook that fails
 * would lock all users out. Others are returned unchanged.
 */
export const withoutReviews = (plugin: AdmissionPlugin, features: Features): AdmissionPlugin =>
  PLUGINS.includes(plugin.name) && features.enabled('ExcludeAdmissionWebhookVirtualResources')
    ? { ...plugin, handles: request => !isReview(request) && plugin.handles(request) }
    : plugin
