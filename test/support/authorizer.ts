import type { Authorizer } from '../../src/meta/authorizer.ts'
import type { RequestAttributes, User } from '../../src/meta/context.ts'

/** Allows what the function says, and has no opinion on the rest. */
export const allowingIf = (isAllowed: (asked: RequestAttributes, user: User) => boolean): Authorizer => ({
  authorize: async (user, asked) => ({ decision: isAllowed(asked, user) ? 'allow' : 'no opinion', reason: '' }),
})
