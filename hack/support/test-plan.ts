/**
 * The files that take longest, longest first. If one of them began last, it would run alone at the end. The others
 * follow in any order.
 */
export const LONGEST = [
  'test/integration/explore.test.ts',
  'test/integration/probe.test.ts',
  'test/unit/storage/embedded/damage.test.ts',
  'test/e2e/resilience-etcd-kill.test.ts',
  'test/e2e/model-processes.test.ts',
  'test/e2e/probe.test.ts',
  'test/e2e/etcd-calls.test.ts',
  'test/e2e/changing-etcd-members.test.ts',
  'test/e2e/kubectl.test.ts',
  'test/integration/console-pages.test.ts',
  'test/e2e/resilience-leadership.test.ts',
  'test/e2e/resilience-etcd-network.test.ts',
  'test/e2e/explore-command.test.ts',
  'test/e2e/testing-histories.test.ts',
  'test/e2e/resilience-quota.test.ts',
  'test/e2e/media-types.test.ts',
  'test/integration/hostile-backends.test.ts',
  'test/e2e/documentation.test.ts',
  'test/e2e/costly-requests.test.ts',
  'test/e2e/hostile-clients.test.ts',
  'test/e2e/slow-clients.test.ts',
  'test/unit/storage/cacher/over-etcd.test.ts',
  'test/e2e/input-bounds.test.ts',
  'test/integration/pumped-bodies.test.ts',
  'test/integration/pumped-expressions.test.ts',
  'test/unit/control-plane/release-walk.test.ts',
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
