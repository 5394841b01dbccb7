import type { PolicyRulesWithSubjects } from '../api/flowcontrol/v1.types.ts'
import { SizedCache } from '../lib/sized-cache.ts'
import type { RequestInfo, User } from '../meta/context.ts'
import { matchesInfo, matchesSubjects } from './rules.ts'

/** The part of a schema by which requests are classified. */
export interface Classified {
  /** The schema selects a request that one of them matches. */
  readonly rules: readonly PolicyRulesWithSubjects[]
}

/** A schema with its rules whose subjects include a user. */
interface Candidate<T> {
  readonly schema: T
  /** Rules with the user among their subjects, in order. */
  readonly rules: readonly PolicyRulesWithSubjects[]
}

/** Candidates of a user, valid as long as the user has the same groups. */
interface CachedUser<T> {
  readonly groups: readonly string[]
  readonly candidates: readonly Candidate<T>[]
}

/** Maximum number of cached users, and their size in characters: their names, and the schemas that apply to them. */
const MAX_USERS = 1024
/** Limit for the characters of all cached users. */
const MAX_SIZE = 1 << 22
/** Size of a cached schema in characters. */
const CANDIDATE_SIZE = 64

/**
 * Finds the first schema that selects a request. Most schemas apply to few users, so the schemas of each user are
 * cached.
 */
export class Classifier<T extends Classified> {
  readonly #schemas: readonly T[]
  readonly #users = new SizedCache<CachedUser<T>>(MAX_USERS, MAX_SIZE)

  /** `schemas`: in order of precedence. */
  constructor(schemas: readonly T[]) {
    this.#schemas = schemas
  }

  /** Returns the first schema that selects the request. Undefined if none does. */
  find(user: User, info: RequestInfo): T | undefined {
    for (const { schema, rules } of this.#candidatesFor(user)) for (const rule of rules) if (matchesInfo(rule, info)) return schema
    return undefined
  }

  /** Returns the schemas that apply to a user, in order of precedence. */
  #candidatesFor(user: User): readonly Candidate<T>[] {
    const known = this.#users.get(user.name)
    if (known !== undefined && sameTexts(known.groups, user.groups)) return known.candidates
    const candidates = this.#schemas
      .map(schema => ({ schema, rules: schema.rules.filter(({ subjects }) => matchesSubjects(subjects, user)) }))
      .filter(({ rules }) => rules.length > 0)
    const names = user.groups.reduce((length, group) => length + group.length, user.name.length)
    this.#users.set(user.name, { groups: [...user.groups], candidates }, names + CANDIDATE_SIZE * candidates.length)
    return candidates
  }
}

/** Reports whether two lists are equal, including their order. */
function sameTexts(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}
