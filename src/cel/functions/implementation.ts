import type { Value } from '../values/value.ts'

/** A function that is given values of the types of its signature. */
export type Implementation = (...args: Value[]) => Value

/** Functions of one library by the names of their signatures. The signature says what the arguments are, so that each is written for its own. */
export type Implementations = Readonly<Record<string, (...args: never[]) => Value>>
