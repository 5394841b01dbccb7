import { GaugeFamily } from '../lib/metrics.ts'

/** 1 for each deprecated API that a client has asked for since the server began. */
export const createDeprecatedRequests = (): GaugeFamily =>
  new GaugeFamily({
    name: 'apiserver_requested_deprecated_apis',
    help: 'Gauge of deprecated APIs that have been requested, broken out by API group, version, resource, subresource, and removed_release.',
    stability: 'STABLE',
    labels: ['group', 'version', 'resource', 'subresource', 'removed_release'],
    subject: ['group', 'version', 'resource'],
    across: 'max',
  })
