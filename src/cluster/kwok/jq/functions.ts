import { COLLECTION_FUNCTIONS, entriesOf, fromEntries, RANGE_FUNCTIONS } from './collection-functions.ts'
import { JqError } from './errors.ts'
import { collected, iterate, type JqFilter, type JqRun, type JqScope, type JqValueFunction, recurse } from './filter.ts'
import { NUMBER_FUNCTIONS } from './number-functions.ts'
import { elementsOf } from './paths.ts'
import { TEXT_FUNCTIONS } from './text-functions.ts'
import {
  compareValues,
  described,
  isList,
  isObject,
  isTruthy,
  type JqKind,
  type JqValue,
  kindOf,
  memberOf,
  objectOf,
  sortedKeys,
} from './values.ts'

/** Makes the filter of a call from the filters of its arguments. */
export type JqFunction = (args: readonly JqFilter[]) => JqFilter

/** Ends the evaluation of a filter whose remaining results are not needed. */
class Enough extends Error {}

/** Passes the first results of a filter that `take` accepts, until it returns false. */
function until(filter: JqFilter, input: JqValue, run: JqRun, scope: JqScope | undefined, take: (value: JqValue) => boolean): void {
  const enough = new Enough()
  try {
    filter(input, run, scope, value => {
      if (!take(value)) throw enough
    })
  } catch (error) {
    if (error !== enough) throw error
  }
}

/** Calls a function with every combination of its arguments' values. The last argument varies slowest, as in jq. */
function withEachOf(call: (input: JqValue, run: JqRun, ...args: JqValue[]) => readonly JqValue[]): JqFunction {
  return args => (input, run, scope, emit) => {
    const choose = (at: number, values: readonly JqValue[]): void => {
      const arg = args[at]
      if (arg !== undefined) {
        arg(input, run, scope, value => choose(at - 1, [value, ...values]))
        return
      }
      run.budget.spend()
      for (const result of call(input, run, ...values)) emit(result)
    }
    choose(args.length - 1, [])
  }
}

/** Calls a function that has at most one result. */
const withValues = (call: JqValueFunction): JqFunction =>
  withEachOf((input, run, ...args) => {
    const result = call(input, run, ...args)
    return result === undefined ? [] : [result]
  })

/** Returns a filter that passes inputs of the given types. */
const ofKinds = (...kinds: readonly JqKind[]): JqFunction => withValues(input => (kinds.includes(kindOf(input)) ? input : undefined))

const NO_FILTER: JqFilter = (_input, _run, _scope, emit) => emit(null)

/** Functions whose arguments are filters, not values. */
const FILTER_FUNCTIONS: Readonly<Record<string, JqFunction>> = {
  'empty/0': () => () => {},
  'select/1':
    ([condition = NO_FILTER]) =>
    (input, run, scope, emit) =>
      condition(input, run, scope, value => {
        if (isTruthy(value)) emit(input)
      }),
  'map/1':
    ([filter = NO_FILTER]) =>
    (input, run, scope, emit) =>
      emit(elementsOf(input, run.budget).flatMap(item => collected(filter, item, run, scope))),
  'first/1':
    ([filter = NO_FILTER]) =>
    (input, run, scope, emit) => {
      const found: JqValue[] = []
      until(filter, input, run, scope, value => found.push(value) < 1)
      for (const value of found) emit(value)
    },
  'last/1':
    ([filter = NO_FILTER]) =>
    (input, run, scope, emit) => {
      const last = collected(filter, input, run, scope).at(-1)
      if (last !== undefined) emit(last)
    },
  'isempty/1':
    ([filter = NO_FILTER]) =>
    (input, run, scope, emit) => {
      let isEmpty = true
      until(filter, input, run, scope, () => (isEmpty = false))
      emit(isEmpty)
    },
  'any/0': () => quantifier(true, iterate, identity),
  'all/0': () => quantifier(false, iterate, identity),
  'any/1': ([condition = NO_FILTER]) => quantifier(true, iterate, condition),
  'all/1': ([condition = NO_FILTER]) => quantifier(false, iterate, condition),
  'any/2': ([items = NO_FILTER, condition = NO_FILTER]) => quantifier(true, items, condition),
  'all/2': ([items = NO_FILTER, condition = NO_FILTER]) => quantifier(false, items, condition),
  'recurse/0': () => (input, run, _scope, emit) => recurse(input, run, emit),
  'error/0': () => input => {
    throw new JqError(typeof input === 'string' ? input : 'error')
  },
  'error/1': withValues((_input, run, message) => {
    throw new JqError(typeof message === 'string' ? message : described(message ?? null, run.budget))
  }),
  'values/0': withValues(input => (input === null ? undefined : input)),
  'nulls/0': ofKinds('null'),
  'booleans/0': ofKinds('boolean'),
  'numbers/0': ofKinds('number'),
  'strings/0': ofKinds('string'),
  'arrays/0': ofKinds('array'),
  'objects/0': ofKinds('object'),
  'iterables/0': ofKinds('array', 'object'),
  'scalars/0': ofKinds('null', 'boolean', 'number', 'string'),
}

const identity: JqFilter = (input, _run, _scope, emit) => emit(input)

/** Compiles `any` and `all`, which stop at the first item that decides. */
function quantifier(decides: boolean, items: JqFilter, condition: JqFilter): JqFilter {
  return (input, run, scope, emit) => {
    let result = !decides
    until(items, input, run, scope, item => {
      until(condition, item, run, scope, value => {
        run.budget.spend()
        if (isTruthy(value) === decides) result = decides
        return result !== decides
      })
      return result !== decides
    })
    emit(result)
  }
}

/** An element of a list with the results of a filter for it. */
interface Keyed {
  readonly key: readonly JqValue[]
  readonly item: JqValue
}

/** Calls a function with the elements of a list, sorted by the results of a filter. Equal elements keep their order. */
const bySortedKey =
  (result: (sorted: readonly Keyed[], run: JqRun) => JqValue): JqFunction =>
  ([filter = NO_FILTER]) =>
  (input, run, scope, emit) => {
    if (!isList(input)) throw new JqError(`expected an array but got: ${described(input, run.budget)}`)
    const keyed = input.map(item => ({ key: collected(filter, item, run, scope), item }))
    emit(
      result(
        keyed.sort((a, b) => compareValues(a.key, b.key, run.budget)),
        run,
      ),
    )
  }

/** Splits sorted elements where the key changes. */
function groups(sorted: readonly Keyed[], run: JqRun): JqValue[][] {
  const result: JqValue[][] = []
  let last: Keyed | undefined
  for (const next of sorted) {
    if (last !== undefined && compareValues(last.key, next.key, run.budget) === 0) result.at(-1)?.push(next.item)
    else result.push([next.item])
    last = next
  }
  return result
}

/** Functions that order or group the elements of a list by the results of a filter, and those that change members. */
const KEYED_FUNCTIONS: Readonly<Record<string, JqFunction>> = {
  'sort_by/1': bySortedKey(sorted => sorted.map(({ item }) => item)),
  'group_by/1': bySortedKey(groups),
  'unique_by/1': bySortedKey((sorted, run) => groups(sorted, run).map(([first = null]) => first)),
  'min_by/1': bySortedKey(sorted => sorted[0]?.item ?? null),
  'max_by/1': bySortedKey(sorted => sorted.at(-1)?.item ?? null),
  'map_values/1':
    ([filter = NO_FILTER]) =>
    (input, run, scope, emit) => {
      const firstOf = (item: JqValue): JqValue[] => collected(filter, item, run, scope).slice(0, 1)
      if (isList(input)) emit(input.flatMap(firstOf))
      else if (!isObject(input)) throw new JqError(`cannot iterate over: ${described(input, run.budget)}`)
      else emit(objectOf(sortedKeys(input).flatMap(key => firstOf(memberOf(input, key)).map((value): [string, JqValue] => [key, value]))))
    },
  'with_entries/1':
    ([filter = NO_FILTER]) =>
    (input, run, scope, emit) =>
      emit(
        fromEntries(
          entriesOf(input, run).flatMap(entry => collected(filter, entry, run, scope)),
          run,
        ),
      ),
}

/** Functions by name and number of arguments, as error messages name them. */
export const FUNCTIONS: ReadonlyMap<string, JqFunction> = new Map([
  ...Object.entries(FILTER_FUNCTIONS),
  ...Object.entries(KEYED_FUNCTIONS),
  ...Object.entries({ ...COLLECTION_FUNCTIONS, ...TEXT_FUNCTIONS, ...NUMBER_FUNCTIONS }).map(([name, call]): [string, JqFunction] => [
    name,
    withValues(call),
  ]),
  ...Object.entries(RANGE_FUNCTIONS).map(([name, call]): [string, JqFunction] => [name, withEachOf(call)]),
])
