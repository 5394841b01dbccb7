import type { Json } from '../../api/meta/object.ts'
import { type ClusterClient, ClusterError } from '../../clients/cluster-client.ts'
import { ArgumentError, readArguments, type Streams } from '../../lib/arguments.ts'
import { onOneLine, printable } from '../../lib/printable.ts'
import type { RecentRequest, RecentRequestList, Why } from '../../why/types.ts'
import { withServer } from '../with-server.ts'
import { listText } from './list-text.ts'
import { whyText } from './why-text.ts'

const USAGE = `Usage: binnacle why AUDIT-ID
       binnacle why --last [-n 5] [--user NAME] [--failed]
       binnacle why --list [-n 20] [--user NAME] [--failed]

Explains a request to a server that runs with --why: the user and credential, the grant that allowed it or is missing, and everything that changed, denied or delayed it. The audit id is in the header Audit-Id of every response (kubectl -v 8 prints it).

      --last        the last requests
      --list        recent requests, one per line, without explanations
  -n, --number      number of requests (default 1; 20 with --list)
      --user        only requests of this user
      --failed      only requests that failed
  -o, --output      text, or json as the server returns it
      --kubeconfig  path of the kubeconfig (default: $KUBECONFIG, data/admin.kubeconfig if it exists, ~/.kube/config)
      --context     context of the kubeconfig (default: the current one)

Requires permission to read /binnacle/v1/why, which only administrators have by default.
`

const OPTIONS = {
  id: 'values',
  last: 'switch',
  list: 'switch',
  number: 'value',
  user: 'value',
  failed: 'switch',
  output: 'value',
  kubeconfig: 'value',
  context: 'value',
  help: 'switch',
} as const
const SHORT = { n: 'number', o: 'output', h: 'help' }
const PATH = '/binnacle/v1/why'
const MOST = 1000

/** Runs the command. Resolves with the exit status: 1 if the request is not recorded. */
export async function runWhy(argv: readonly string[], { out, err }: Streams): Promise<number> {
  const given = readArguments(argv, OPTIONS, SHORT, 'id')
  if (given.isOn('help')) {
    out(USAGE)
    return 0
  }
  const [ids, lists, output] = [given.values('id'), given.isOn('list'), given.value('output') ?? 'text']
  if (output !== 'text' && output !== 'json') throw new ArgumentError(`--output ${output}: must be text or json`)
  if (ids.length > 0 === (given.isOn('last') || lists)) throw new ArgumentError('audit ids, --last or --list is required')
  const query = new URLSearchParams({ limit: checkNumber(given.value('number') ?? (lists ? '20' : '1')) })
  const user = given.value('user')
  if (user !== undefined) query.set('user', user)
  if (given.isOn('failed')) query.set('failed', 'true')
  return withServer(given, async client => {
    if (lists) {
      const list = await recent(client, query)
      out(output === 'json' ? `${JSON.stringify(list, undefined, 2)}\n` : printable(listText(list.items)))
      return 0
    }
    const wanted = ids.length > 0 ? ids : (await recent(client, query)).items.map(({ auditID }) => auditID)
    if (wanted.length === 0) {
      err('No such request is recorded.\n')
      return 1
    }
    return tellAll(client, wanted, output, { out, err })
  })
}

/**
 * Removes line breaks from all texts except YAML. Names of objects and users come from clients, and could imitate lines
 * of the report.
 */
export function onLinesOfTheirOwn(why: Why): Why {
  const safe: Why = JSON.parse(
    JSON.stringify(why, (key, value: unknown) => (typeof value === 'string' && key !== 'yaml' ? onOneLine(value) : value)),
  )
  return safe
}

async function tellAll(client: ClusterClient, ids: readonly string[], output: 'text' | 'json', { out, err }: Streams): Promise<number> {
  let status = 0
  for (const [i, id] of ids.entries()) {
    const why = await findRecord(client, id)
    if (typeof why === 'string') {
      err(`${printable(why)}\n`)
      status = 1
    } else
      out(
        output === 'json'
          ? `${JSON.stringify(why, undefined, 2)}\n`
          : `${i === 0 ? '' : '\n'}${printable(whyText(onLinesOfTheirOwn(why)))}`,
      )
  }
  return status
}

function checkNumber(text: string): string {
  const number = Number(text)
  if (!Number.isInteger(number) || number < 1 || number > MOST)
    throw new ArgumentError(`--number ${text}: must be a number from 1 to ${MOST}`)
  return text
}

/** Returns recent requests. Throws ClusterError. */
async function recent(client: ClusterClient, query: URLSearchParams): Promise<RecentRequestList> {
  const answer = await client.json(`${PATH}?${query}`).catch((error: unknown) => {
    if (error instanceof ClusterError && error.status === 404)
      throw new ClusterError(`${client.server.origin} does not record requests: start it with --why, for example --why=1000`)
    throw error
  })
  if (!isRequestList(answer)) throw new ClusterError(`${client.server.origin} is not a binnacle server`)
  return answer
}

/** Returns the record of a request, or the server's message if there is none. Throws ClusterError. */
async function findRecord(client: ClusterClient, id: string): Promise<Why | string> {
  let answer: Json
  try {
    answer = await client.json(`${PATH}/${encodeURIComponent(id)}`)
  } catch (error) {
    if (!(error instanceof ClusterError) || error.status !== 404) throw error
    // A server without `--why` does not serve the path.
    await recent(client, new URLSearchParams({ limit: '1' }))
    return error.message.replace(/^\S+ 404 /, '')
  }
  if (!isWhy(answer)) throw new ClusterError(`${client.server.origin} is not a binnacle server`)
  return answer
}

// Only the outer shape is checked; the rest is as the server documents it.
const isWhy = (answer: unknown): answer is Why => isOfKind(answer, 'Why', 'steps')
const isRequestList = (answer: unknown): answer is RecentRequestList & { readonly items: readonly RecentRequest[] } =>
  isOfKind(answer, 'WhyList', 'items')

const isOfKind = (answer: unknown, kind: string, list: string): boolean =>
  typeof answer === 'object' &&
  answer !== null &&
  'kind' in answer &&
  answer.kind === kind &&
  list in answer &&
  Array.isArray(Reflect.get(answer, list))
