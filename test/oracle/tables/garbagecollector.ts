import { dispositionOf } from '../../../src/controllers/garbage-collector/disposition.ts'

interface OwnersIn {
  readonly solid?: number
  readonly dangling?: number
  readonly waiting?: number
  readonly hasDependents?: boolean
  /** Uid of the owner of that name, where the entry is about one. */
  readonly ownerUid?: string
}

const DISPOSITIONS = { keep: 'keep', release: 'remove references', delete: 'delete background', 'delete foreground': 'delete foreground' }

const uids = (count = 0): string[] => Array.from({ length: count }, (_, i) => String(i))

function decision({ solid, dangling, waiting, hasDependents = false, ownerUid }: OwnersIn): string {
  // An owner with another uid is not found: it counts as one that is gone.
  if (ownerUid !== undefined)
    return dispositionOf({ solid: [], dangling: [ownerUid], waiting: [] }, false) === 'delete' ? 'counts as absent' : 'exists'
  return DISPOSITIONS[dispositionOf({ solid: uids(solid), dangling: uids(dangling), waiting: uids(waiting) }, hasDependents)]
}

/** Functions of the tables, or the reason why a table has none. */
export const TABLES: Readonly<Record<string, ((given: never) => unknown) | string>> = {
  decision,
  events: 'a text: scenarios check it',
}
