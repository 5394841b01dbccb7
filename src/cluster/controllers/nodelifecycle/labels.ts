/** Labels that are kept equal to others: the old names of the operating system and the architecture. */
const COPIES: Readonly<Record<string, string>> = {
  'beta.kubernetes.io/os': 'kubernetes.io/os',
  'beta.kubernetes.io/arch': 'kubernetes.io/arch',
}

/**
 * Returns the labels of a node that must change. Undefined if there are none. Source: reconcileNodeLabels of
 * pkg/controller/nodelifecycle.
 */
export function labelChanges(labels: Readonly<Record<string, string>> = {}): Record<string, string> | undefined {
  const changes: Record<string, string> = {}
  for (const [copy, original] of Object.entries(COPIES)) {
    const value = labels[original]
    if (value !== undefined && labels[copy] !== value) changes[copy] = value
  }
  return Object.keys(changes).length > 0 ? changes : undefined
}
