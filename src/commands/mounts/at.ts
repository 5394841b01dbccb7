import { ClusterError } from '../../clients/cluster-client.ts'
import { ArgumentError, type Streams } from '../../lib/arguments.ts'
import { momentAt } from '../history/asked.ts'
import { aboutServer } from './asked.ts'

const USAGE = `Usage: binnacle at MOMENT [--kubeconfig FILE] [--context NAME]

Prints a kubeconfig for the server as it was at a moment, read-only: binnacle at 10m > past.kubeconfig.

A moment is a duration (10m), a time (2030-05-01T12:00:00Z), or a revision (the resourceVersion of an object). The server runs with
--moments, and for durations and times with --history.
`

/** Runs the command. Resolves with the exit status. */
export const runAt = (argv: readonly string[], streams: Streams): Promise<number> =>
  aboutServer(argv, { usage: USAGE }, streams, async ({ given, client, printKubeconfig }) => {
    const moment = given.values('argument').join(' ')
    if (moment === '') throw new ArgumentError('a moment is needed: binnacle at 10m')
    const revision = /^[1-9]\d{0,15}$/.test(moment) ? moment : (await momentAt(client, moment).catch(withoutHistory)).revision
    // Says at once that the moment is not served, or no longer kept.
    await client.json(`/binnacle/at/${revision}/version`)
    printKubeconfig(`/binnacle/at/${revision}`)
    return 0
  })

function withoutHistory(error: unknown): never {
  if (error instanceof ClusterError && error.status === 404)
    throw new ClusterError(`${error.message}: durations and times need a server with --history; a revision does not`)
  throw error
}
