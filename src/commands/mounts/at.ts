import { ArgumentError, type Arguments, type Streams } from '../../lib/arguments.ts'
import { momentAt } from '../history/object-command.ts'
import { runServerCommand } from './server-command.ts'

const USAGE = `Usage: binnacle at MOMENT [--kubeconfig FILE] [--context NAME]

Prints a kubeconfig for the server as it was at a moment, read-only: binnacle at 10m > past.kubeconfig.

A moment is a duration (10m, '10m ago'), a time (2030-05-01T12:00:00Z), a revision (the resourceVersion of an object), or now. Requires a
server with --history; with --moments alone it serves revisions of the last minutes.
`

const LACK = 'serves no moments: start it with --history 24h, or with --moments 4 for revisions of the last minutes'

/** Runs the command. Resolves with the exit status. */
export const runAt = (argv: readonly string[], streams: Streams): Promise<number> =>
  runServerCommand(
    argv,
    { usage: USAGE, lack: LACK, check: given => void momentOf(given) },
    streams,
    async ({ given, client, printKubeconfig }) => {
      const moment = momentOf(given)
      const revision = /^[1-9]\d{0,15}$/.test(moment) ? moment : (await momentAt(client, moment)).revision
      // Fails if the moment is not served or no longer kept.
      await client.json(`/binnacle/at/${revision}/version`)
      printKubeconfig(`/binnacle/at/${revision}`)
      return 0
    },
  )

function momentOf(given: Arguments): string {
  const moment = given.values('argument').join(' ')
  if (moment === '') throw new ArgumentError('a moment is required: binnacle at 10m')
  return moment
}
