import type { Scope } from '../scope.ts'
import type { ApiFilter } from './filter.ts'

/** Warns clients that request a deprecated version, and records the request in metrics and audit. */
export const withDeprecationWarnings: ApiFilter = ({ state: { scope } }, next) => {
  if (scope?.served.deprecation !== undefined) warn(scope)
  return next()
}

function warn({ env, exchange, dialect, served, subresource, subresourceName }: Scope): void {
  const { deprecation, version } = served
  if (deprecation === undefined || !dialect.deprecatesPart(subresource)) return
  exchange.ctx.warn(deprecation.warning)
  exchange.ctx.audit?.annotate('k8s.io/deprecated', 'true')
  if (deprecation.removedRelease !== '') exchange.ctx.audit?.annotate('k8s.io/removed-release', deprecation.removedRelease)
  const gauge = env.deprecatedRequests?.child(
    version.group,
    version.name,
    version.names.plural,
    subresourceName,
    deprecation.removedRelease,
  )
  if (gauge) gauge.value = 1
}
