import { onOneLine } from '../../lib/printable.ts'
import type { RecentRequest } from '../../why/types.ts'

/** Prints recent requests as a table, newest first. */
export function listText(items: readonly RecentRequest[]): string {
  if (items.length === 0) return 'No requests are recorded.\n'
  const rows = [
    ['TIME', 'STATUS', 'TOOK', 'AUDIT ID', 'USER', 'VERB', 'URI'],
    ...items.map(({ time, status, reason, milliseconds, user, verb, uri, auditID }) => [
      time.slice(11, 23),
      status === undefined ? 'none' : reason === undefined ? String(status) : `${status} ${reason}`,
      milliseconds === undefined ? 'open' : `${milliseconds.toFixed(1)} ms`,
      auditID,
      user || '-',
      verb,
      uri,
    ]),
  ].map(row => row.map(onOneLine))
  const widths = [0, 1, 2, 3, 4, 5].map(column => Math.max(...rows.map(row => row[column]?.length ?? 0)))
  return rows.map(row => `${row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join('   ')}\n`).join('')
}
