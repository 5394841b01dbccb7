import type { Scope } from '../scope.ts'
import type { ApiFilter } from './filter.ts'

/** Warns clients that request a deprecated version, and records the request in metrics and audit. */
export const withDeprecationWarnings: ApiFilter = ({ state: { scope } }, next) => {
  if (scope?.served.deprecation !== undefined) warn(scope)
  return next()
}

/** A subresource of another kind has a life of its own, but for those of custom kinds: there it is the version that is deprecated, with all that it has. */
function warn({ env, exchange, dialect, served, subresource, subresourceName }: Scope): void {
  const { deprecation, version } = served
  if (deprecation === undefined || (dialect.isRouted && subresource?.kind !== undefined)) return
  exchange.ctx.warn(deprecation.warning)
  exchange.ctx.audit?.annotate('k8s.io/deprecated', 'true')
  if (deprecation.removedRelease !== '') exchange.ctx.audit?.annotate('k8s.io/removed-release', deprecation.removedRelease)
  const gauge = env.deprecatedRequests?.child(version.group, version.name, version.names.plural, subresourceName, deprecation.removedRelease)
  if (gauge) gauge.value = 1
}
