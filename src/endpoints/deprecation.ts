import { GaugeFamily } from '../lib/metrics.ts'
import type { Scope } from './scope.ts'

/** 1 for each deprecated API that a client has asked for since the server began. */
export const createDeprecatedRequests = (): GaugeFamily =>
  new GaugeFamily({
    name: 'apiserver_requested_deprecated_apis',
    help: 'Gauge of deprecated APIs that have been requested, broken out by API group, version, resource, subresource, and removed_release.',
    stability: 'STABLE',
    labels: ['group', 'version', 'resource', 'subresource', 'removed_release'],
    across: 'max',
  })

/** Warns whoever asks for a deprecated version, and notes that somebody did. A subresource of another kind has a life of its own. */
export function tellDeprecation({ env, exchange, served, subresource, subresourceName }: Scope): void {
  const { deprecation, version } = served
  if (deprecation === undefined || subresource?.kind !== undefined) return
  exchange.ctx.warn(deprecation.warning)
  const gauge = env.deprecatedRequests?.child(version.group, version.name, version.names.plural, subresourceName, deprecation.removedRelease)
  if (gauge) gauge.value = 1
}
