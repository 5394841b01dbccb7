import { isJsonObject } from '../api/meta/object.ts'
import { type ClusterClient, ClusterError } from '../clients/cluster-client.ts'
import { readArguments, type Streams } from '../lib/arguments.ts'
import { onOneLine } from '../lib/printable.ts'
import { withServer } from './with-server.ts'

const USAGE = `Usage: binnacle console [--kubeconfig FILE] [--context NAME]

Prints a link to the console of a server that runs with --console. The link is valid for 15 minutes and can be opened once. Its browser acts as the user of the kubeconfig for 12 hours.

      --kubeconfig  path of the kubeconfig (default: $KUBECONFIG, data/admin.kubeconfig if it exists, ~/.kube/config)
      --context     context of the kubeconfig (default: the current one)
`

/** Runs the command. Resolves with the exit status. */
export async function runConsole(argv: readonly string[], { out }: Streams): Promise<number> {
  const given = readArguments(argv, { kubeconfig: 'value', context: 'value', help: 'switch' }, { h: 'help' }, '')
  if (given.isOn('help')) {
    out(USAGE)
    return 0
  }
  out(`${onOneLine(await withServer(given, newLink))}\n`)
  return 0
}

/** Creates a link to the console. Throws ClusterError. */
async function newLink(client: ClusterClient): Promise<string> {
  const answer = await client.json('/binnacle/v1/console/links', 'POST').catch((error: unknown) => {
    if (error instanceof ClusterError && error.status === 404)
      throw new ClusterError(`${client.server.origin} has no console: start it with --console`)
    throw error
  })
  const { link, port } = isJsonObject(answer) ? answer : {}
  if (typeof link !== 'string' || !link.startsWith('/console/#') || typeof port !== 'number')
    throw new ClusterError(`${client.server.origin} is not a binnacle server`)
  // The console listens on another port of the same host.
  const url = new URL(client.server.origin)
  url.port = String(port)
  return url.origin + link
}
