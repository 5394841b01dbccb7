/**
 * Names the setups of stores that cannot run here, and why: `hack/stores.ts`. Exits with 1 if there are any and $STORES
 * selects no others.
 */
import { missingSetups } from '../test/support/setup-ids.ts'

const { STORES: stores = 'all' } = process.env
const missing = missingSetups()
for (const { ids, reason } of missing) console.error(`cannot run on ${ids.join(', ')}: ${reason}`)
if (missing.length > 0 && stores === 'all') {
  console.error('make test-stores runs on all setups; STORES=kine-sqlite,etcd-system selects some')
  process.exitCode = 1
}
