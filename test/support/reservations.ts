import type { Reservation, Strategy } from '../../src/catalog/strategy.ts'

/** A strategy's `begin` which writes down what becomes of its reservations: `begin 1`, `commit 1`, `rollback 1`. */
export function recordedReservations(): { readonly log: string[]; readonly begin: NonNullable<Strategy['begin']> } {
  const log: string[] = []
  let count = 0
  return {
    log,
    begin: async (next, old, _ctx, _api, dryRun): Promise<Reservation> => {
      const id = ++count
      log.push(`begin ${id} ${old ? (next ? 'update' : 'delete') : 'create'}${dryRun ? ' dry' : ''}`)
      return { commit: async () => void log.push(`commit ${id}`), rollback: async () => void log.push(`rollback ${id}`) }
    },
  }
}
