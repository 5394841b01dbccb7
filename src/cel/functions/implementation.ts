import type { Value } from '../values/value.ts'

/** Implementation of a function. Arguments have the types of its signature. */
export type Implementation = (...args: Value[]) => Value

/** Implementations of a library by signature. Each is written for the argument types of its signature. */
export type Implementations = Readonly<Record<string, (...args: never[]) => Value>>
