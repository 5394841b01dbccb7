import { objectIn } from '../../api/meta/object.ts'
import type { ClusterClient } from '../../clients/cluster-client.ts'
import { ArgumentError, type Arguments, type Streams } from '../../lib/arguments.ts'
import { onOneLine } from '../../lib/printable.ts'
import { objectsIn } from '../../meta/json-members.ts'
import { momentAt } from '../history/object-command.ts'
import { runServerCommand } from './server-command.ts'

const USAGE = `Usage: binnacle branch NAME [--at MOMENT]
       binnacle branch --print NAME
       binnacle branch --list
       binnacle branch --delete NAME

Creates a branch: a control plane that begins with the server's state and is independent from then on. Prints a kubeconfig for it. Requires a
server with --branches.

      --at          begin with the server's state at a moment: a duration (10m), a time, or a revision (requires --history)
      --print       print the kubeconfig of an existing branch
      --list        print the branches
      --delete      delete a branch and all its changes
`

/** Error message for a server without branches. */
export const NO_BRANCHES = 'has no branches: start it with --branches 4'

const ROOT = '/binnacle/v1/branches'

/** Runs the command. Resolves with the exit status. */
export const runBranch = (argv: readonly string[], streams: Streams): Promise<number> =>
  runServerCommand(
    argv,
    {
      options: { at: 'value', list: 'switch', delete: 'switch', print: 'switch' },
      usage: USAGE,
      lack: NO_BRANCHES,
      check: given => void (given.isOn('list') || branchName(given)),
    },
    streams,
    async ({ given, client, printKubeconfig }) => {
      if (given.isOn('list')) {
        streams.out(await listed(client))
        return 0
      }
      const name = branchName(given)
      if (given.isOn('delete')) {
        await client.send('DELETE', `${ROOT}/${encodeURIComponent(name)}`)
        streams.out(`branch ${onOneLine(name)} deleted\n`)
        return 0
      }
      if (given.isOn('print')) {
        printKubeconfig(String(objectIn(await client.json(`${ROOT}/${encodeURIComponent(name)}`)).path))
        return 0
      }
      const at = given.value('at')
      const revision = at === undefined ? undefined : /^[1-9]\d{0,15}$/.test(at) ? at : (await momentAt(client, at)).revision
      const { path } = objectIn(await client.send('POST', ROOT, { name, ...(revision !== undefined && { at: Number(revision) }) }))
      printKubeconfig(String(path))
      return 0
    },
  )

function branchName(given: Arguments): string {
  const [name, ...more] = given.values('argument')
  if (name === undefined || more.length > 0) throw new ArgumentError('one name is required: binnacle branch NAME')
  return name
}

async function listed(client: ClusterClient): Promise<string> {
  const { items } = objectIn(await client.json(ROOT))
  const rows = objectsIn(items).map(({ name, revision, created, createdBy, bytes, state }) =>
    [name, revision, created, createdBy, bytes, state].map(each => onOneLine(String(each))),
  )
  const table = [['NAME', 'REVISION', 'CREATED', 'BY', 'BYTES', 'STATE'], ...rows]
  const widths = table[0]?.map((_, i) => Math.max(...table.map(row => row[i]?.length ?? 0))) ?? []
  return `${table
    .map(row =>
      row
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join('   ')
        .trimEnd(),
    )
    .join('\n')}\n`
}
