/**
 * The files that take longest, longest first. If one of them began last, it would run alone at the end. The others
 * follow in any order.
 */
export const LONGEST = [
  'test/integration/resilience-etcd-kill.test.ts',
  'test/integration/model-processes.test.ts',
  'test/integration/probe.test.ts',
  'test/integration/etcd-calls.test.ts',
  'test/integration/changing-etcd-members.test.ts',
  'test/e2e/kubectl.test.ts',
  'test/integration/console-pages.test.ts',
  'test/integration/resilience-leadership.test.ts',
  'test/integration/resilience-etcd-network.test.ts',
  'test/integration/explore.test.ts',
  'test/integration/explore-command.test.ts',
  'test/integration/testing-histories.test.ts',
  'test/integration/resilience-quota.test.ts',
  'test/integration/media-types.test.ts',
  'test/integration/hostile-backends.test.ts',
  'test/integration/documentation.test.ts',
  'test/integration/costly-requests.test.ts',
  'test/integration/hostile-clients.test.ts',
  'test/integration/slow-clients.test.ts',
  'test/unit/storage/cacher/over-etcd.test.ts',
  'test/unit/storage/cacher/cached-storage.test.ts',
  'test/unit/storage/cacher/over-embedded.test.ts',
  'test/unit/storage/etcd/faults.test.ts',
]

/** Returns files in the order in which they are dealt to processes. Paths are from the root, with `/`. */
export function testPlan(files: readonly string[]): string[] {
  const rank = (file: string): number => {
    const place = LONGEST.indexOf(file)
    if (place >= 0) return place
    // Files that start servers take seconds, the others less than one.
    return LONGEST.length + (file.startsWith('test/unit/') ? 1 : 0)
  }
  return [...files].sort((a, b) => rank(a) - rank(b))
}
