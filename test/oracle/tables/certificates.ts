import type { CertificateSigningRequest } from '../../../src/api/certificates/v1.types.ts'
import { approvalMessage, approvalRights } from '../../../src/cluster/controllers/certificateapproving/recognize.ts'
import { cleanupTime } from '../../../src/cluster/controllers/certificatecleaner/expiry.ts'
import { isKnownSigner, isWaiting, signingFault } from '../../../src/cluster/controllers/certificatesigning/judge.ts'
import { certificateSeconds } from '../../../src/cluster/controllers/certificatesigning/validity.ts'
import { type JudgedRequest, KUBELET_CLIENT_SIGNER } from '../../../src/cluster/shared/signing-requests.ts'
import { formatTime } from '../../../src/meta/time.ts'

const NOW = Date.parse('2030-01-01T00:00:00Z')
const MINUTE_MS = 60_000

interface NamesIn {
  readonly cn?: string
  readonly commonName?: string
  readonly org?: readonly string[]
  readonly dns?: readonly string[]
  readonly dnsNames?: readonly string[]
  readonly ip?: readonly string[]
  readonly email?: readonly string[]
  readonly uri?: readonly string[]
}

const judged = ({ cn, commonName, org = [], dns, dnsNames, ip = [], email = [], uri = [] }: NamesIn): JudgedRequest => ({
  commonName: cn ?? commonName ?? '',
  organizations: org,
  dns: dns ?? dnsNames ?? [],
  ips: ip.map(text => Buffer.from(text)),
  emails: email,
  uris: uri,
})

type ConditionType = 'Approved' | 'Denied' | 'Failed'

const condition = (type: string, at = NOW): NonNullable<CertificateSigningRequest['status']['conditions']>[number] => ({
  type,
  status: 'True',
  lastUpdateTime: formatTime(at),
  lastTransitionTime: formatTime(at),
})

const requestOf = (parts: Partial<CertificateSigningRequest> = {}): CertificateSigningRequest => ({
  kind: 'CertificateSigningRequest',
  apiVersion: 'certificates.k8s.io/v1',
  metadata: { name: 'r', creationTimestamp: formatTime(NOW) },
  spec: { request: '', signerName: '' },
  status: {},
  ...parts,
})

type SignIn = NamesIn & {
  readonly signerName: string
  readonly usages?: string[]
  readonly approved?: boolean
  readonly denied?: boolean
  readonly failed?: boolean
}

function sign({ signerName, usages = [], approved, denied, failed, ...names }: SignIn): string {
  const conditions = [approved && 'Approved', denied && 'Denied', failed && 'Failed'].flatMap(type => (type ? [condition(type)] : []))
  if (!isWaiting(requestOf({ status: { conditions } })) || !isKnownSigner(signerName)) return 'nothing'
  return signingFault(signerName, judged(names), usages) === undefined ? 'signed' : 'failed'
}

type ApproveIn = NamesIn & {
  readonly signer: string
  readonly username: string
  readonly sar: readonly string[]
  readonly usages?: string[]
}

const CLIENT_USAGES = ['digital signature', 'key encipherment', 'client auth']

async function approve({
  signer,
  username,
  sar,
  usages = CLIENT_USAGES,
  org = ['system:nodes'],
  ...names
}: ApproveIn): Promise<string | null> {
  const rights = approvalRights(judged({ ...names, org }), {
    request: '',
    signerName: signer,
    usages,
    username,
  } as CertificateSigningRequest['spec'])
  return (await approvalMessage(rights, async subresource => sar.includes(subresource))) ?? null
}

interface CleanerIn {
  readonly cond?: ConditionType
  readonly agoMinutes?: number
  readonly issued?: boolean
  readonly expired?: boolean
  readonly createdHoursAgo?: number
}

function isCleaned({ cond, agoMinutes = 0, issued = false, expired = false, createdHoursAgo = 0 }: CleanerIn): boolean {
  const created = formatTime(NOW - Math.max(agoMinutes, createdHoursAgo * 60) * MINUTE_MS)
  const conditions = cond === undefined ? [] : [condition(cond, NOW - agoMinutes * MINUTE_MS)]
  const ends = issued || expired ? NOW + (expired ? -MINUTE_MS : 60 * MINUTE_MS) : undefined
  const time = cleanupTime(requestOf({ metadata: { name: 'r', creationTimestamp: created }, status: { conditions } }), ends)
  return time !== undefined && time < NOW
}

/** Functions of the tables, or the reason why a table has none. */
export const TABLES: Readonly<Record<string, ((given: never) => unknown) | string>> = {
  sign,
  duration: ({ limit, expirationSeconds }: { limit: number; expirationSeconds?: number | null }) =>
    certificateSeconds(expirationSeconds ?? undefined, limit),
  refusal: ({ signer = KUBELET_CLIENT_SIGNER, usages = [], ...names }: NamesIn & { signer?: string; usages?: string[] }) =>
    signingFault(signer, judged(names), usages) ?? null,
  approve,
  cleaner: isCleaned,
}
