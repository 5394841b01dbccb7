import { type FlagSpec, ignored, own, refused, used } from './flag-spec.ts'

/**
 * All flags of kube-apiserver 1.33 (https://kubernetes.io/docs/reference/command-line-tools-reference/kube-apiserver/), and Binnacle's own. Defaults are
 * kube-apiserver's, except `--bind-address`, which is restricted to this machine, and `--authorization-mode`, which is `RBAC` as in every cluster
 * (kube-apiserver defaults to AlwaysAllow).
 */
export const FLAGS = {
  // Binnacle's own flags.
  profile: own(
    'string',
    'What runs beside the API: binnacle, with the controllers that make namespaces, accounts and garbage behave as in a cluster, or apiserver, with what kube-apiserver itself runs alone. Under the name kube-apiserver: apiserver.',
    'binnacle',
  ),
  'data-dir': own(
    'string',
    'Directory of the embedded store, the generated certificates and the kubeconfig. Made where missing. Default: data; with --profile=apiserver that of --cert-dir, or a temporary one.',
  ),
  ephemeral: own(
    'bool',
    'Keep nothing on a disk, listen on a free port, print one line of JSON with the address and a kubeconfig to standard output when ready, and end with the program that has started it (or when standard input, if it is a pipe, ends).',
    'false',
  ),
  'enable-faults': own(
    'bool',
    'Serve the kind Fault of binnacle.dev/v1alpha1, whose objects say what requests fail on purpose. For tests of clients: who may write them can keep others from being served.',
    'false',
  ),
  history: own(
    'duration',
    'How long revisions are kept in the embedded store, for reads of the past (binnacle log, diff, show, undo, at). 0: not longer than others need.',
    '0s',
  ),
  'history-max-bytes': own('string', 'Bytes that --history may take beside the present objects, as a quantity; the oldest goes first.', '1Gi'),
  console: own('bool', 'Serve a console for browsers on --console-port. The log has a link that opens it once; `binnacle console` makes others.', 'false'),
  'console-port': own('int', 'Port of HTTPS for the console. 0: one that is free. Default: the one after --secure-port, or a free one if that is 0.'),
  why: own('int', 'Keep the last N requests and what was found out about each, for `binnacle why`. In memory, without values of secrets. 0: none.', '0'),
  'serve-damaged-store': own('bool', 'Serve what is whole of a damaged embedded store, whose file is kept (binnacle verify).', 'false'),
  'read-only': own(
    'bool',
    'Refuse what would change what is stored, and what reaches nodes, pods and services. No controllers run. For looking at backups.',
    'false',
  ),
  moments: own('int', 'Moments of the past open at once (binnacle at), read-only below /binnacle/at/REVISION. Default: 4 with --history, else 0: none.'),
  branches: own('int', 'Branches that there may be (binnacle branch): planes that begin as this one, below /binnacle/branches/NAME. 0: none.', '0'),
  'branch-bytes': own('int', 'Bytes of what is written to a branch, and as many again of what this server has changed since.', '268435456'),
  'etcd-stand-in': own(
    'bool',
    'Ask the server of --etcd-servers whether it is the stand-in for etcd of `binnacle assets`, and if so use the embedded store.',
    'false',
  ),
  'kubeconfig-out': own(
    'string',
    'Where the administrator’s kubeconfig is written, mode 0600. Default: admin.kubeconfig in the data directory; with --ephemeral none is.',
  ),
  'insecure-port': own('int', 'Port of plain HTTP on 127.0.0.1, where every request is an administrator’s. 0: none.', '0'),
  domain: own('string', 'Domain whose neutral spellings (g=meta.DOMAIN) are understood beside the Kubernetes ones.', 'k8s.io'),
  controllers: own(
    'list',
    'Loops to run, by the names of kube-controller-manager: * is all, -NAME leaves one out. Those to leave out where another program runs them. Default: *; with --profile=apiserver none.',
  ),
  'resource-quota-sync-period': own(
    'duration',
    'Time between counts of all that quotas limit, by resourcequota-controller. 0: only when something has changed.',
    '5m0s',
  ),
  workers: own('int', 'Processes that serve the ports side by side. More than one needs --etcd-servers.', '1'),
  http2: own('string', 'What speaks HTTP/2: own, the stack of this project, or builtin, that of Node, which any client can hold up (SECURITY.md).', 'own'),
  'service-addresses': own(
    'list',
    'Where this server reaches services, as NAMESPACE/NAME=HOST:PORT or NAMESPACE/NAME:PORT=HOST:PORT, when it calls webhooks and aggregated servers: for development, where there is no network of a cluster.',
  ),
  'authorization-rules-file': own('string', 'YAML or JSON file of allow rules, for the mode Rules of --authorization-mode.'),

  // Listeners and serving certificates.
  'secure-port': used('int', 'Port of HTTPS, with HTTP/2 and HTTP/1.1. 0: a free one, the default with --ephemeral.', '6443'),
  'bind-address': used('ip', 'Address on which to listen for --secure-port.', '127.0.0.1'),
  'advertise-address': used(
    'ip',
    'Address by which others reach the server. Default: --bind-address, or where that is 0.0.0.0 the first of this machine that is no loopback.',
  ),
  'cert-dir': used(
    'string',
    'Directory of the certificates. A pair apiserver.crt and apiserver.key that is there is used. Default: pki in the data directory.',
  ),
  'tls-cert-file': used('string', 'File with the serving certificate, chain included. Default: one is generated.'),
  'tls-private-key-file': used('string', 'File with the key of --tls-cert-file.'),
  'external-hostname': used('string', 'Host name that the generated serving certificate also has.'),
  'permit-address-sharing': ignored('bool'),
  'permit-port-sharing': ignored('bool'),
  'tls-cipher-suites': used(
    'list',
    'Cipher suites of TLS 1.2 and before, by the names of Go. Those of TLS 1.3 are always offered. Default: those that are secure.',
  ),
  'tls-curve-preferences': used(
    'list',
    'Groups of the key exchange, by the numbers of Go: 23 (P-256), 24 (P-384), 25 (P-521), 29 (X25519). Default: those of OpenSSL.',
  ),
  'tls-min-version': used('string', 'Oldest version of TLS: VersionTLS10, VersionTLS11, VersionTLS12 or VersionTLS13.', 'VersionTLS12'),
  'tls-sni-cert-key': used(
    'namedCertKey',
    'Files of a certificate and its key, and the host names, first label perhaps *, or addresses for which it is shown: cert,key or cert,key:name,name. Default: the names of the certificate. May be given several times. Read again when they change.',
  ),
  'strict-transport-security-directives': used(
    'list',
    'Directives of the header Strict-Transport-Security: max-age=SECONDS, includeSubDomains, preload. Default: no such header.',
  ),
  'cors-allowed-origins': used(
    'list',
    'Regular expressions of origins whose web pages may read answers (CORS), each pinned to both ends of the host: //example\\.com(:|$).',
  ),
  'disable-http2-serving': used('bool', 'Speaks HTTP/1.1 alone.', 'false'),
  'http2-max-streams-per-connection': used('int', 'Open requests of a connection of HTTP/2. 0: 100. Default with --http2=builtin: 250.', '1000'),
  'goaway-chance': used('float', 'Share of the requests of HTTP/2, to 0.02, after which the client is asked to take another connection.', '0'),
  'debug-socket-path': refused('string', ''),
  'egress-selector-config-file': used(
    'string',
    'EgressSelectorConfiguration file: how connections to the cluster, the control plane and etcd are made: directly (Direct) or through proxies (HTTPConnect).',
  ),
  'peer-advertise-ip': ignored('string'),
  'peer-advertise-port': ignored('string'),
  'peer-ca-file': ignored('string'),
  'proxy-client-cert-file': used('string', 'Certificate that this server shows to aggregated servers, which believe it for whom a request is.'),
  'proxy-client-key-file': used('string', 'Key of --proxy-client-cert-file.'),

  // Store.
  'etcd-servers': used('list', 'etcd servers (scheme://host:port, host:port or unix:///path), comma separated. Without any, the embedded store is used.'),
  'etcd-cafile': used('string', 'CA of the etcd servers. Read again for each connection, as the next two.'),
  'etcd-certfile': used('string', 'Client certificate for etcd.'),
  'etcd-keyfile': used('string', 'Key of --etcd-certfile.'),
  'etcd-prefix': used('string', 'Prefix of all keys in the store.', '/registry'),
  'etcd-compaction-interval': used('duration', 'Time between compactions of the store. 0: none from here.', '5m0s'),
  'etcd-healthcheck-timeout': used('duration', 'Time that health checks give the store to answer.', '2s'),
  'etcd-readycheck-timeout': used('duration', 'Time that the check of readiness gives the store to answer.', '2s'),
  'etcd-count-metric-poll-period': ignored('duration'),
  'etcd-db-metric-poll-interval': used('duration', 'Time between two questions for the size of the store. 0: it is not asked.', '30s'),
  'etcd-servers-overrides': used(
    'list',
    'Built-in resources that other etcd servers hold, comma separated: group/resource#servers, with semicolons between servers; the core group has no name (/events#…).',
  ),
  'storage-backend': refused('string', '', 'etcd3'),
  'storage-media-type': used(
    'string',
    'What is written to the store: application/json, or application/vnd.kubernetes.protobuf as kube-apiserver writes it. Both are always read.',
    'application/json',
  ),
  'storage-initialization-timeout': ignored('duration'),
  'encryption-provider-config': used('string', 'EncryptionConfiguration file: which resources are encrypted in the store, by what and with which keys.'),
  'encryption-provider-config-automatic-reload': used('bool', 'Looks once a minute whether --encryption-provider-config has changed.', 'false'),
  'lease-reuse-duration-seconds': used(
    'int',
    'How much longer than asked for events may be kept on etcd, so that they share leases; at most a twentieth of their time.',
    '60',
  ),
  'event-ttl': used('duration', 'How long events are kept.', '1h0m0s'),
  'watch-cache': used('bool', 'Serves reads and watches from memory. Otherwise each goes to the store.', 'true'),
  'watch-cache-sizes': used(
    'list',
    'resource[.group]#size,…: size 0 takes a resource out of the watch cache; other sizes have no effect, as it has no fixed one.',
  ),
  'default-watch-cache-size': ignored('int'),
  'delete-collection-workers': ignored('int'),
  'enable-garbage-collector': refused('bool', 'true'),

  // Authentication and authorization.
  'client-ca-file': used(
    'string',
    'CAs whose client certificates are believed, beside the generated one: the common name is the user, the organizations are the groups. An intermediate CA needs its root beside it. Read again when it changes.',
  ),
  'token-auth-file': used('string', 'CSV file of bearer tokens: token,user,uid,"group1,group2".'),
  'anonymous-auth': used('bool', 'Lets requests without credentials read health and version. Otherwise they get 401.', 'true'),
  'authorization-mode': used(
    'list',
    'Node, RBAC, ABAC, Webhook, AlwaysAllow, AlwaysDeny or Rules, tried in order. system:masters may do everything in any of them. Default: RBAC, with --authorization-rules-file Rules,RBAC.',
  ),
  'authorization-config': used(
    'string',
    'File of the chain of authorizers (AuthorizationConfiguration), in place of --authorization-mode and --authorization-webhook-*. Read again when it changes.',
  ),
  'authorization-policy-file': used('string', 'Policies of the mode ABAC, a JSON object a line.'),
  'authorization-webhook-cache-authorized-ttl': used('duration', 'How long the webhook’s consent is kept.', '5m0s'),
  'authorization-webhook-cache-unauthorized-ttl': used('duration', 'How long it is kept that the webhook does not consent.', '30s'),
  'authorization-webhook-config-file': used('string', 'Kubeconfig of the server that is asked in the mode Webhook.'),
  'authorization-webhook-version': used('string', 'Version of authorization.k8s.io in which it is asked: v1 or v1beta1.', 'v1beta1'),
  'authentication-config': used(
    'string',
    'File of issuers of tokens and of who may come without credentials (AuthenticationConfiguration), followed while the server runs.',
  ),
  'authentication-token-webhook-cache-ttl': used('duration', 'How long answers of the webhook are kept.', '2m0s'),
  'authentication-token-webhook-config-file': used('string', 'Kubeconfig of the server that is asked whose bearer tokens are.'),
  'authentication-token-webhook-version': used('string', 'Version of authentication.k8s.io in which it is asked: v1 or v1beta1.', 'v1beta1'),
  'enable-bootstrap-token-auth': used(
    'bool',
    'Takes Secrets of the type bootstrap.kubernetes.io/token in the namespace kube-system for tokens by which nodes join.',
    'false',
  ),
  'oidc-ca-file': used('string', 'Authorities (PEM) that are believed of the issuer. Default: those of the system.'),
  'oidc-client-id': used('string', 'Audience that tokens of the issuer must be for.'),
  'oidc-groups-claim': used('string', 'Claim with the groups of a user, one or several.'),
  'oidc-groups-prefix': used('string', 'Put before the names of groups.'),
  'oidc-issuer-url': used('string', 'Issuer of tokens (OpenID Connect), an https URL; its keys are asked for there.'),
  'oidc-required-claim': used('pair', 'claim=value that a token must have; may be repeated.'),
  'oidc-signing-algs': used('list', 'Algorithms by which tokens may be signed: RS, ES or PS with 256, 384 or 512.', 'RS256'),
  'oidc-username-claim': used('string', 'Claim with the name of a user.', 'sub'),
  'oidc-username-prefix': used('string', 'Put before the names of users; - for nothing. Default: the issuer and #, but for the claim email.'),
  'requestheader-allowed-names': used(
    'list',
    'Common names of client certificates that may provide usernames in headers. Empty: any certificate of --requestheader-client-ca-file.',
  ),
  'requestheader-client-ca-file': used(
    'string',
    'CAs of front proxies, which are believed for whom their requests are, as the headers of --requestheader-username-headers say. Read again when it changes.',
  ),
  'requestheader-extra-headers-prefix': used('list', 'Prefixes of headers with what else is known of the user. X-Remote-Extra- is suggested.'),
  'requestheader-group-headers': used('list', 'Headers with groups. X-Remote-Group is suggested.'),
  'requestheader-uid-headers': used('list', 'Headers with the UID of the user. X-Remote-Uid is suggested. Needs the gate RemoteRequestHeaderUID.'),
  'requestheader-username-headers': used('list', 'Headers with the name of the user. X-Remote-User is common.'),
  'api-audiences': used('list', 'Who this server is, as tokens of service accounts name it. Default: the issuers.'),
  'service-account-extend-token-expiration': used('bool', 'Tokens that kubelets ask for live a year, and tell when they should have been renewed.', 'true'),
  'service-account-issuer': used(
    'list',
    'Issuer of tokens of service accounts; may be given several times: the first signs, the others are believed.',
    'https://kubernetes.default.svc.cluster.local',
  ),
  'service-account-jwks-uri': used('string', 'Where the keys that check tokens are found, as the discovery document tells. Default: here.'),
  'service-account-key-file': used('list', 'Files of keys or certificates that check tokens of service accounts, beside the one that signs them.'),
  'service-account-lookup': used('bool', 'Tokens that are kept in Secrets are good only while their Secret is there.', 'true'),
  'service-account-max-token-expiration': used(
    'duration',
    'Longest life of a token of a service account; one that asks for more gets this. 0: as long as asked for.',
    '0s',
  ),
  'service-account-signing-endpoint': used(
    'string',
    'Unix socket of a signer of tokens of service accounts, a path or @NAME; in place of files of keys, by the gate ExternalServiceAccountTokenSigner.',
  ),
  'service-account-signing-key-file': used(
    'string',
    'File of the private key that signs tokens of service accounts. Default: one is made, sa.key beside the certificates, or on etcd kept there for all servers.',
  ),

  // Admission and auditing.
  'admission-control-config-file': used('string', 'AdmissionConfiguration file: configurations of admission plugins, or the files that hold them.'),
  'enable-admission-plugins': used('list', 'Admission plugins that run beside those that are on by default. One that is not built is refused by name.'),
  'disable-admission-plugins': used('list', 'Admission plugins that do not run although they are on by default.'),
  'admission-control': used('list', 'All admission plugins that run. Deprecated: --enable-admission-plugins and --disable-admission-plugins.'),
  'default-not-ready-toleration-seconds': used(
    'int',
    'How long pods stay on a node that is not ready, where they do not say (DefaultTolerationSeconds).',
    '300',
  ),
  'default-unreachable-toleration-seconds': used(
    'int',
    'How long pods stay on a node that cannot be reached, where they do not say (DefaultTolerationSeconds).',
    '300',
  ),
  'audit-policy-file': used(
    'string',
    'File of the audit policy (audit.k8s.io/v1 Policy): which requests are audited, and how much of them. Without it none is.',
  ),
  'audit-log-path': used('string', 'File to which audit events are written, made where missing, mode 0600; - is standard output. Without it there is no log.'),
  'audit-webhook-config-file': used('string', 'Kubeconfig of the webhook to which audit events are posted. Without it there is none.'),
  'audit-log-batch-buffer-size': used('int', 'Events that wait at most; further ones are lost. In batch mode.', '10000'),
  'audit-log-batch-max-size': used('int', 'Events of a batch. In batch mode.', '1'),
  'audit-log-batch-max-wait': used('duration', 'How long a batch of more than one event waits for more. In batch mode.', '0s'),
  'audit-log-batch-throttle-burst': used('int', 'Batches that are written at once where there were few before. In batch mode.', '0'),
  'audit-log-batch-throttle-enable': used('bool', 'Bounds the batches that are written in a second. In batch mode.', 'false'),
  'audit-log-batch-throttle-qps': used('float', 'Batches that are written in a second. In batch mode.', '0'),
  'audit-log-compress': used('bool', 'Compresses logs that are put away with gzip.', 'false'),
  'audit-log-format': used('string', 'json, an audit.k8s.io/v1 Event a line, or legacy, a line of text.', 'json'),
  'audit-log-maxage': used('int', 'Days for which logs that were put away are kept. 0: for ever.', '0'),
  'audit-log-maxbackup': used('int', 'Logs that were put away of which so many are kept. 0: all.', '0'),
  'audit-log-maxsize': used('int', 'Megabytes of a log, beyond which it is put away and another begun. 0: 100.', '0'),
  'audit-log-mode': used(
    'string',
    'blocking: requests wait until their events are written. blocking-strict: likewise, and one whose first event can not be written fails. batch: requests wait for nothing.',
    'blocking',
  ),
  'audit-log-truncate-enabled': used('bool', 'Takes the objects out of events that are too large, and drops those that still are.', 'false'),
  'audit-log-truncate-max-batch-size': used('int', 'Bytes of a batch. Events are written one by one, so that only the next flag bounds them.', '10485760'),
  'audit-log-truncate-max-event-size': used('int', 'Bytes of an event, with --audit-log-truncate-enabled.', '102400'),
  'audit-log-version': used('string', 'Version of the events: audit.k8s.io/v1.', 'audit.k8s.io/v1'),
  'audit-webhook-batch-buffer-size': used('int', 'Events that wait at most; further ones are lost. In batch mode.', '10000'),
  'audit-webhook-batch-initial-backoff': used('duration', 'The old name of --audit-webhook-initial-backoff.'),
  'audit-webhook-batch-max-size': used('int', 'Events of a batch. In batch mode.', '400'),
  'audit-webhook-batch-max-wait': used('duration', 'Time between two batches, after which one is sent though it may have more events. In batch mode.', '30s'),
  'audit-webhook-batch-throttle-burst': used('int', 'Batches that are sent at once where there were few before. In batch mode.', '15'),
  'audit-webhook-batch-throttle-enable': used('bool', 'Bounds the batches that are sent in a second. In batch mode.', 'true'),
  'audit-webhook-batch-throttle-qps': used('float', 'Batches that are sent in a second. In batch mode.', '10'),
  'audit-webhook-initial-backoff': used('duration', 'Wait before a call that has failed is made again. Each further wait is longer by half. Default: 10s.'),
  'audit-webhook-mode': used(
    'string',
    'batch: requests do not wait for their events. blocking: they do. blocking-strict: and fail where their first event can’t be sent.',
    'batch',
  ),
  'audit-webhook-truncate-enabled': used('bool', 'Takes the objects out of events that are too large, and drops those that still are.', 'false'),
  'audit-webhook-truncate-max-batch-size': used(
    'int',
    'Bytes of a batch. Events are looked at one by one, so that only the next flag bounds them.',
    '10485760',
  ),
  'audit-webhook-truncate-max-event-size': used('int', 'Bytes of an event, with --audit-webhook-truncate-enabled.', '102400'),
  'audit-webhook-version': used('string', 'Version of the events: audit.k8s.io/v1.', 'audit.k8s.io/v1'),

  // Services.
  'service-cluster-ip-range': used('string', 'Range of addresses (CIDR) of services, or two of different families, comma separated.', '10.0.0.0/24'),
  'service-node-port-range': used('string', 'Range of node ports, inclusive.', '30000-32767'),
  'kubernetes-service-node-port': refused('int', '0'),
  'apiserver-count': ignored('int'),
  'endpoint-reconciler-type': refused('string', 'lease', 'none', 'master-count'),
  'allow-privileged': ignored('bool'),
  'max-connection-bytes-per-sec': ignored('int'),
  'kubelet-certificate-authority': used('string', 'CA of the kubelets. Without it their certificates are not checked.'),
  'kubelet-client-certificate': used('string', 'Client certificate for kubelets: logs, exec, attach, portforward and the proxy of nodes.'),
  'kubelet-client-key': used('string', 'Key of --kubelet-client-certificate.'),
  'kubelet-port': used('int', 'Port of the kubelets of nodes that tell none.', '10250'),
  'kubelet-preferred-address-types': used(
    'list',
    'Types of node addresses, the preferred first, by which kubelets are reached.',
    'Hostname,InternalDNS,InternalIP,ExternalDNS,ExternalIP',
  ),
  'kubelet-read-only-port': ignored('int'),
  'kubelet-timeout': ignored('duration'),
  'enable-logs-handler': refused('bool', 'false'),
  'enable-aggregator-routing': used('bool', 'Reach aggregated servers and webhooks behind services at their endpoints, and not at the cluster IP.', 'false'),
  'aggregator-reject-forwarding-redirect': used('bool', 'Refuse answers of aggregated servers that send the client elsewhere.', 'true'),
  'coordinated-leadership-lease-duration': ignored('duration'),
  'coordinated-leadership-renew-deadline': ignored('duration'),
  'coordinated-leadership-retry-period': ignored('duration'),

  // Limits and timeouts.
  'max-requests-inflight': used(
    'int',
    'With --max-mutating-requests-inflight the seats of the server, which must be more than 0. Without priority and fairness: requests that read, worked on at once; beyond, 429. 0: no limit.',
    '400',
  ),
  'max-mutating-requests-inflight': used(
    'int',
    'With --max-requests-inflight the seats of the server. Without priority and fairness: requests that write, worked on at once; beyond, 429. 0: no limit.',
    '200',
  ),
  'request-timeout': used('duration', 'Longest time of a request that is not long-running.', '1m0s'),
  'min-request-timeout': used('int', 'Seconds that a watch is kept open at least, where it does not say itself.', '1800'),
  'shutdown-delay-duration': used('duration', 'Time between readiness failing and the server taking no more connections.', '0s'),
  'shutdown-watch-termination-grace-period': ignored('duration'),
  'shutdown-send-retry-after': ignored('bool'),
  'livez-grace-period': used('duration', 'Time for what the server begins with, before which /livez does not fail for it.', '0s'),
  'enable-priority-and-fairness': used('bool', 'Let requests wait for their turn by flow schemas and priority levels, in place of two fixed limits.', 'true'),

  // Release and API versions.
  'emulated-version': used('list', 'Release whose behaviour is shown: 1.24 to 1.36.', '1.33'),
  'min-compatibility-version': used(
    'list',
    'Oldest release beside which the server may run, which must understand new expressions. By default the one before the emulated one.',
  ),
  'feature-gates': used('map', 'Feature gates, as Gate=true or Gate=false. Those of which only one way is built are refused by name when set the other way.'),
  'runtime-config': used(
    'settings',
    'What to serve, as group/version=true or group/version/resource=true, or not, with false; /v1 is the core group. api/all, api/ga, api/beta and api/alpha stand for many. Alpha and beta are off unless asked for.',
  ),
  'emulation-forward-compatible': used(
    'bool',
    'Serve beta and stable versions that came after the emulated release, too, where an older version of the kind is served.',
  ),
  'runtime-config-emulation-forward-compatible': used('bool', 'Let --runtime-config name versions that came after the emulated release.'),

  // Logging and internals.
  v: used('int', 'Level of the log: 0 says little, 3 every request, 6 much.', '0'),
  'logging-format': used('string', 'text or json.', 'text'),
  vmodule: ignored('string'),
  'log-flush-frequency': ignored('duration'),
  'log-json-info-buffer-size': ignored('string'),
  'log-json-split-stream': ignored('bool'),
  'log-text-info-buffer-size': ignored('string'),
  'log-text-split-stream': ignored('bool'),
  profiling: ignored('bool'),
  'contention-profiling': ignored('bool'),
  'allow-metric-labels': used(
    'pairs',
    'metric,label=value,value: the values of a label that are told; others are told as unexpected. Several between quotes: "metric,label=a,b","other,label=c".',
  ),
  'allow-metric-labels-manifest': used('string', 'File with the same as a map in YAML, where --allow-metric-labels is not given.'),
  'disabled-metrics': used('list', 'Metrics that are not shown.'),
  'show-hidden-metrics-for-version': used('string', 'The release before, to show what it has shown and this one hides.'),
  'tracing-config-file': used('string', 'TracingConfiguration file: the collector of OpenTelemetry to which requests are told, and how many of them.'),
  help: used('bool', 'Prints this.', 'false'),
  version: used('string', 'Prints the version.'),
} as const satisfies Readonly<Record<string, FlagSpec>>

/** Name of a flag. */
export type FlagName = keyof typeof FLAGS

/** Short names of flags, as in component-base. */
export const SHORT_NAMES: Readonly<Record<string, FlagName>> = { v: 'v', h: 'help' }
