import { shortestStay } from '../../../src/cluster/controllers/tainteviction/tolerations.ts'

/** Functions of the tables, or the reason why a table has none. */
export const TABLES: Readonly<Record<string, ((given: never) => unknown) | string>> = {
  'min-toleration'(given: (number | null)[]) {
    const stay = shortestStay(given.map(seconds => (seconds === null ? {} : { tolerationSeconds: seconds })))
    return stay === 'forever' ? -1 : stay / 1000
  },
  events: 'a text: scenarios check it',
}
