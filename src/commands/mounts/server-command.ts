import { chosenKubeconfig } from '../../clients/chosen-kubeconfig.ts'
import { kubeconfigAt, serverOf } from '../../clients/cluster-access.ts'
import { askedError, type ClusterClient } from '../../clients/cluster-client.ts'
import { yamlBytes } from '../../codec/yaml.ts'
import { type Arguments, type Option, readArguments, type Streams } from '../../lib/arguments.ts'
import { withServer } from '../with-server.ts'

/** Parsed arguments of a command about moments or branches, with its server. */
export interface ServerContext {
  readonly given: Arguments
  readonly client: ClusterClient
  /** Prints a kubeconfig whose server is a path of this server, with the same credentials. */
  printKubeconfig(path: string): void
}

const COMMON = { argument: 'values', kubeconfig: 'value', context: 'value', help: 'switch' } as const

const COMMON_USAGE = `
      --kubeconfig  path of the kubeconfig (default: $KUBECONFIG, data/admin.kubeconfig if it exists, ~/.kube/config)
      --context     context of the kubeconfig (default: the current one)
`

/** A command about moments or branches. */
export interface ServerCommand {
  readonly options?: Readonly<Record<string, Option>>
  readonly usage: string
  /** Error message if the server does not serve the command's paths. */
  readonly lack: string
  /** Validates the arguments before the server is contacted. Throws ArgumentError. */
  check(given: Arguments): void
}

/** Calls `run`, or prints the help text. Throws ArgumentError and ClusterError. */
export async function runServerCommand(
  argv: readonly string[],
  { options = {}, usage, lack, check }: ServerCommand,
  { out }: Streams,
  run: (context: ServerContext) => Promise<number>,
): Promise<number> {
  const given = readArguments(argv, { ...COMMON, ...options }, { h: 'help' }, 'argument')
  if (given.isOn('help')) {
    out(usage + COMMON_USAGE)
    return 0
  }
  check(given)
  const printKubeconfig = (path: string): void =>
    out(yamlBytes(kubeconfigAt(chosenKubeconfig(given.value('kubeconfig')), given.value('context'), path)).toString())
  const runOn = (client: ClusterClient): Promise<number> =>
    run({ given, client, printKubeconfig }).catch((error: unknown) => {
      throw askedError(error, `${client.server.origin} ${lack}`)
    })
  return withServer(given, runOn, serverOf)
}
