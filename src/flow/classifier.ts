import { SizedCache } from '../lib/sized-cache.ts'
import type { RequestInfo, User } from '../meta/context.ts'
import type { Rule } from './configuration.ts'
import { matchesInfo, matchesSubjects } from './rules.ts'

/** What a schema is classified by. */
export interface Classified {
  readonly rules: readonly Rule[]
}

/** A schema that is about a user, with those of its rules that are. */
interface Candidate<T> {
  readonly schema: T
  readonly rules: readonly Rule[]
}

interface Known<T> {
  readonly groups: readonly string[]
  readonly candidates: readonly Candidate<T>[]
}

/** Users that are remembered, by name, and how large they may be together: their names, and schemas that are about them. */
const MAX_USERS = 1024
const MAX_SIZE = 1 << 22
/** Of a schema, in characters. */
const CANDIDATE_SIZE = 64

/** Finds the first of some schemas that selects a request. Most schemas are about few users, so those that are about a user are remembered. */
export class Classifier<T extends Classified> {
  private readonly schemas: readonly T[]
  private readonly users = new SizedCache<Known<T>>(MAX_USERS, MAX_SIZE)

  /** `schemas`: by precedence. */
  constructor(schemas: readonly T[]) {
    this.schemas = schemas
  }

  find(user: User, info: RequestInfo): T | undefined {
    for (const { schema, rules } of this.candidatesFor(user)) for (const rule of rules) if (matchesInfo(rule, info)) return schema
    return undefined
  }

  private candidatesFor(user: User): readonly Candidate<T>[] {
    const known = this.users.get(user.name)
    if (known !== undefined && sameTexts(known.groups, user.groups)) return known.candidates
    const candidates = this.schemas
      .map(schema => ({ schema, rules: schema.rules.filter(({ subjects }) => matchesSubjects(subjects, user)) }))
      .filter(({ rules }) => rules.length > 0)
    const names = user.groups.reduce((length, group) => length + group.length, user.name.length)
    this.users.set(user.name, { groups: [...user.groups], candidates }, names + CANDIDATE_SIZE * candidates.length)
    return candidates
  }
}

function sameTexts(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}
