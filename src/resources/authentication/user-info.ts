import type { JsonObject } from '../../api/meta/object.ts'
import type { User } from '../../meta/context.ts'

/** authentication.k8s.io/v1 UserInfo. */
export const userInfo = ({ name, uid, groups, extra }: User): JsonObject => ({
  username: name,
  ...(uid !== undefined && { uid }),
  groups: [...groups],
  ...(extra && { extra: Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]])) }),
})
