import { readKubeconfig } from '../clients/cluster-access.ts'
import { ClusterClient } from '../clients/cluster-client.ts'
import { ArgumentError, type Arguments, readArguments, type Streams } from '../lib/arguments.ts'
import { compareReleases } from '../lifecycle/release.ts'
import type { EtcdOptions } from '../storage/etcd/options.ts'
import { snapshotValues } from '../storage/etcd-snapshot/read-snapshot.ts'
import { checkedSnapshot } from '../storage/etcd-snapshot/snapshot-hash.ts'
import { LIMIT_OPTIONS, LIMITS_USAGE, readLimits } from './input-limits.ts'
import { InputWatch } from './input-watch.ts'
import { readRelease, readTarget } from './release-argument.ts'
import { countOf, type Report } from './report/finding.ts'
import { htmlReport } from './report/formats/html.ts'
import { jsonReport } from './report/formats/json.ts'
import { sarifReport } from './report/formats/sarif.ts'
import { textReport } from './report/formats/text.ts'
import { type Examined, reportOn } from './report/report.ts'
import { auditFindings } from './report/sources/audit-log.ts'
import { examineCluster, releaseOf } from './report/sources/cluster.ts'
import { dataDirectoryValues } from './report/sources/data-directory.ts'
import { etcdValues } from './report/sources/etcd.ts'
import { examineFiles } from './report/sources/files.ts'
import { examineStore } from './report/sources/stored.ts'
import { ReleaseKinds } from './versions/release-kinds.ts'

export const REPORT_USAGE = `Usage: binnacle upgrade-report --from RELEASE --to RELEASE [-f FILE|FOLDER|-] [--kubeconfig FILE] [flags]

Reports the effects of an upgrade of Kubernetes on manifests and clusters: removed versions, fields, annotations, feature gates and flags, changed defaults and validation.

      --from        the present release, such as 1.29 (default with --kubeconfig: that of the server)
      --to          the target release, such as 1.34
  -f, --filename    a file, a folder (files with apiVersion and kind, at any depth), or - for standard input
      --kubeconfig  a Kubernetes or binnacle server, whose objects and metrics are read
      --context     context of the kubeconfig (default: the current one)
      --data-dir    a data directory of binnacle that is not in use
      --snapshot    a snapshot of etcd (etcdctl snapshot save), or, with --skip-hash-check, member/snap/db of a stopped member
      --skip-hash-check
                    reads a snapshot without verifying the hash at its end
      --etcd        addresses of the etcd members: https://127.0.0.1:2379,…
      --etcd-cafile, --etcd-certfile, --etcd-keyfile
                    the CA of the etcd members, and the client certificate for them
      --etcd-prefix prefix of all keys in etcd or the snapshot (default /registry)
      --audit-log   an audit log of the server, with the clients that requested deprecated versions
      --gates       feature gates of a component that no manifest contains: A=true,B=false
  -o, --output      text (default), json, sarif (2.1.0) or html, one page
      --diff        includes diffs of converted objects in text output

${LIMITS_USAGE}
Exit status: 0 nothing blocks the upgrade, 1 something does, 2 an error.
`

const FORMATS: Readonly<Record<string, (report: Report, withDiffs: boolean) => string>> = {
  text: textReport,
  json: jsonReport,
  sarif: sarifReport,
  html: htmlReport,
}

const OPTIONS = {
  from: 'value',
  to: 'value',
  filename: 'values',
  kubeconfig: 'value',
  context: 'value',
  'data-dir': 'value',
  snapshot: 'value',
  etcd: 'value',
  'etcd-cafile': 'value',
  'etcd-certfile': 'value',
  'etcd-keyfile': 'value',
  'etcd-prefix': 'value',
  'skip-hash-check': 'switch',
  ...LIMIT_OPTIONS,
  'audit-log': 'values',
  gates: 'value',
  output: 'value',
  diff: 'switch',
  help: 'switch',
} as const

/**
 * Runs `binnacle upgrade-report`. Resolves to the exit status. Throws ArgumentError, ManifestError and ClusterError.
 */
export async function runReport(argv: readonly string[], { out, err }: Streams): Promise<number> {
  const given = readArguments(argv, OPTIONS, { f: 'filename', o: 'output', h: 'help' }, 'filename')
  if (given.isOn('help')) {
    out(REPORT_USAGE)
    return 0
  }
  const format = FORMATS[given.value('output') ?? 'text']
  if (format === undefined) throw new ArgumentError(`--output ${given.value('output')}: not one of ${Object.keys(FORMATS).join(', ')}`)
  const report = await makeReport(given, err)
  out(format(report, given.isOn('diff')))
  if (countOf(report, 'blocking') > 0) return 1
  return report.findings.some(({ rule }) => rule === 'unreadable') ? 2 : 0
}

/**
 * Throws ArgumentError if nothing is to be examined or `--to` is older than `--from`. Without `--from` the release is
 * that of the cluster.
 */
async function makeReport(given: Arguments, err: Streams['err']): Promise<Report> {
  const kubeconfig = given.value('kubeconfig')
  const client = kubeconfig === undefined ? undefined : new ClusterClient(readKubeconfig(kubeconfig, given.value('context')))
  try {
    const to = readTarget(given.value('to'), err)
    const from = client && given.value('from') === undefined ? await releaseOf(client) : readRelease('from', given.value('from'))
    if (compareReleases(from, to) > 0) throw new ArgumentError(`--to ${to} is older than --from ${from}`)
    const gates = given.value('gates')
    const paths = given.values('filename')
    const watch = new InputWatch({ limits: readLimits(given), say: err, now: () => performance.now() })
    const sources: Examined[] = [
      ...(paths.length === 0 ? [] : [examineFiles(paths, new ReleaseKinds(to), watch)]),
      ...(client ? [await examineCluster(client, to)] : []),
      ...storesOf(given),
      ...(await Promise.all(
        given.values('audit-log').map(async path => ({ name: path, subjects: [], findings: await auditFindings(path, to) })),
      )),
    ]
    if (sources.length === 0 && gates === undefined)
      throw new ArgumentError(
        'nothing to examine: pass manifests with -f, a server with --kubeconfig, a store with --data-dir, --etcd or --snapshot, or an --audit-log',
      )
    return await reportOn(sources, { from, to, ...(gates !== undefined && { gates }) })
  } finally {
    client?.close()
  }
}

/** Returns the stores in the arguments. They are opened when they are read. */
function storesOf(given: Arguments): Examined[] {
  const prefix = given.value('etcd-prefix') ?? '/registry'
  const skipHashCheck = given.isOn('skip-hash-check')
  const [directory, snapshot, etcd] = [given.value('data-dir'), given.value('snapshot'), given.value('etcd')]
  return [
    ...(directory === undefined ? [] : [examineStore(directory, dataDirectoryValues(directory))]),
    ...(snapshot === undefined ? [] : [examineStore(snapshot, snapshotValues(checkedSnapshot(snapshot, { skipHashCheck }), prefix))]),
    ...(etcd === undefined ? [] : [examineStore(etcd, etcdValues(etcdOptions(etcd, given), prefix))]),
  ]
}

function etcdOptions(servers: string, given: Arguments): EtcdOptions {
  const [caFile, certFile, keyFile] = [given.value('etcd-cafile'), given.value('etcd-certfile'), given.value('etcd-keyfile')]
  return {
    servers: servers.split(','),
    ...(caFile !== undefined && { caFile }),
    ...(certFile !== undefined && { certFile }),
    ...(keyFile !== undefined && { keyFile }),
  }
}
