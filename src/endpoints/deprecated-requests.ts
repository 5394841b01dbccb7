import { GaugeFamily } from '../lib/metrics.ts'

/** Returns the gauge of deprecated APIs that were requested since the server started: 1 for each. */
export const createDeprecatedRequests = (): GaugeFamily =>
  new GaugeFamily({
    name: 'apiserver_requested_deprecated_apis',
    help: 'Gauge of deprecated APIs that have been requested, broken out by API group, version, resource, subresource, and removed_release.',
    stability: 'STABLE',
    labels: ['group', 'version', 'resource', 'subresource', 'removed_release'],
    subject: ['group', 'version', 'resource'],
    across: 'max',
  })
