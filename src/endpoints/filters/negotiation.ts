import { invariant } from '../../lib/invariant.ts'
import { negotiate } from '../negotiate.ts'
import { checkPatchRoute } from '../patch.ts'
import type { Scope } from '../scope.ts'
import type { ApiFilter } from './filter.ts'

/**
 * Chooses the form of the answer. Throws 406, and 415 for a patch of a type that no route takes, which upstream's router looks at first. A watch is held to the forms of a list here; what its
 * frames are is negotiated once it is open.
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

/** What comes from outside the server comes in its own form, but for logs. */
const isNegotiated = ({ subresource }: Scope): boolean => subresource?.connect === undefined || subresource.connect.how === 'log'
