import { invariant } from '../../lib/invariant.ts'
import { negotiate } from '../negotiate.ts'
import { checkPatchRoute } from '../patch.ts'
import type { Scope } from '../scope.ts'
import type { ApiFilter } from './filter.ts'

/**
 * Negotiates the form of the response. Throws 406, and 415 for a patch of an unsupported type, which upstream's router
 * checks first. For a watch, only the forms of a list are checked here; the form of its frames is negotiated when it is
 * open.
 */
export const withNegotiation: ApiFilter = ({ state }, next) => {
  const { scope } = state
  invariant(scope, 'the request has been resolved')
  if (isNegotiated(scope)) {
    if (scope.verb === 'patch') checkPatchRoute(scope)
    state.form = negotiate(scope)
  }
  return next()
}

/** Reports whether the response is negotiated. Proxied responses keep their own media type, except logs. */
const isNegotiated = ({ subresource }: Scope): boolean => subresource?.connect === undefined || subresource.connect.how === 'log'
