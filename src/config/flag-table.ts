import { RELEASE_RANGE } from '../lifecycle/release.ts'
import { type FlagSpec, ignored, ownFlag, refusedFlag, used } from './flag-spec.ts'

/**
 * All flags of kube-apiserver 1.33 (https://kubernetes.io/docs/reference/command-line-tools-reference/kube-apiserver/),
 * and Binnacle's own. Defaults are kube-apiserver's, except `--bind-address`, which is restricted to this machine, and
 * `--authorization-mode`, which is `RBAC` as in every cluster (kube-apiserver defaults to AlwaysAllow).
 */
export const FLAGS = {
  // Binnacle's own flags.
  profile: ownFlag(
    'string',
    'Controllers and defaults: binnacle runs the controllers that namespaces, service accounts and garbage collection need, as in a cluster; cluster also runs controllers of workloads; apiserver runs only what kube-apiserver itself runs. Default if the program is named kube-apiserver: apiserver.',
    'binnacle',
  ),
  'data-dir': ownFlag(
    'string',
    'Directory of the embedded store, the generated certificates and the kubeconfig. Created if missing. Default: data; with --profile=apiserver that of --cert-dir, or a temporary one.',
  ),
  ephemeral: ownFlag(
    'bool',
    'Keep nothing on disk, listen on a free port, print one line of JSON with the address and a kubeconfig to standard output when ready, and exit with the parent process (or when standard input ends, if it is a pipe).',
    'false',
  ),
  'enable-faults': ownFlag(
    'bool',
    'Serve the kind Fault of binnacle.dev/v1alpha1, whose objects inject faults into requests. For testing clients: a user who may write faults can deny service to others.',
    'false',
  ),
  history: ownFlag(
    'duration',
    'Retention of revisions in the embedded store, for reads of the past (binnacle log, diff, show, undo, at). 0: only as long as watches need them.',
    '0s',
  ),
  'history-max-bytes': ownFlag('string', 'Maximum size of the history, as a quantity. The oldest revisions are dropped first.', '1Gi'),
  console: ownFlag(
    'bool',
    'Serve the browser console on --console-port. The log contains a link that opens it once; `binnacle console` creates more.',
    'false',
  ),
  'console-port': ownFlag(
    'int',
    'HTTPS port of the console. 0: a free one. Default: the one after --secure-port, or a free one if that is 0.',
  ),
  why: ownFlag(
    'int',
    'Number of recent requests whose steps are kept, for `binnacle why`. Kept in memory, without values of secrets. 0: none.',
    '0',
  ),
  'serve-damaged-store': ownFlag(
    'bool',
    'Serve the readable part of a damaged embedded store. The damaged file is kept (binnacle verify).',
    'false',
  ),
  'read-only': ownFlag(
    'bool',
    'Reject requests that would change stored objects or reach nodes, pods and services. No controllers run. For inspecting backups.',
    'false',
  ),
  moments: ownFlag(
    'int',
    'Maximum number of open moments (binnacle at): read-only views of past revisions below /binnacle/at/REVISION. Default: 4 with --history, otherwise 0: none.',
  ),
  branches: ownFlag(
    'int',
    'Maximum number of branches (binnacle branch): writable copies of the server below /binnacle/branches/NAME. 0: none.',
    '0',
  ),
  'branch-bytes': ownFlag(
    'int',
    'Maximum bytes of the changes in a branch, and of the changes on the server since the branch was created.',
    '268435456',
  ),
  'etcd-stand-in': ownFlag(
    'bool',
    'Probe whether the server of --etcd-servers is the etcd stand-in of `binnacle assets`, and if so use the embedded store.',
    'false',
  ),
  'kubeconfig-out': ownFlag(
    'string',
    'File to which the administrator’s kubeconfig is written, with mode 0600. Default: admin.kubeconfig in the data directory; none with --ephemeral.',
  ),
  'insecure-port': ownFlag('int', 'Port of plain HTTP on 127.0.0.1. Every request to it has administrator permissions. 0: none.', '0'),
  domain: ownFlag(
    'string',
    'Domain whose neutral media type parameters (g=meta.DOMAIN) are accepted beside the Kubernetes ones.',
    'k8s.io',
  ),
  controllers: ownFlag(
    'list',
    'Controllers to run, by their names in kube-controller-manager. * enables those of the profile, NAME another one, -NAME disables one. Disable those that another program runs. Default: *; none with --profile=apiserver.',
  ),
  'scheduler-config': ownFlag(
    'string',
    'KubeSchedulerConfiguration file (kubescheduler.config.k8s.io/v1): profiles, plugins and their arguments. Default: the configuration of kube-scheduler without a file.',
  ),
  nodes: ownFlag(
    'string',
    'Nodes that kubelet simulates (--controllers): their number, or a file with templates and pools of nodes. They are registered at the start.',
    '1',
  ),
  'allocate-node-cidrs': ownFlag('bool', 'Give each node a block of addresses for its pods (node-ipam-controller).', 'true'),
  'cluster-cidr': ownFlag('string', 'CIDR of the addresses of pods, or two of different families, comma separated.', '10.64.0.0/10'),
  'node-cidr-mask-size': ownFlag(
    'int',
    'Prefix length of the block of a node in a cluster with one family. Default: 24 for IPv4, 64 for IPv6.',
  ),
  'node-cidr-mask-size-ipv4': ownFlag('int', 'Prefix length of the IPv4 block of a node. Default: 24.'),
  'node-cidr-mask-size-ipv6': ownFlag('int', 'Prefix length of the IPv6 block of a node. Default: 64.'),
  'load-balancer-ip-range': ownFlag(
    'string',
    'Ranges (CIDR), separated by commas, of whose addresses service-lb-controller gives one to each service of type LoadBalancer. No traffic is balanced.',
    '198.18.0.0/15,2001:2::/48',
  ),
  'simulated-access': ownFlag(
    'list',
    'Parts of this machine that rules of simulated containers may use, with the permissions of the server: files (logs), processes (commands, forwarded ports) and network (forwarded ports). Who may create rules may use them. Default: none.',
  ),
  'resource-quota-sync-period': ownFlag(
    'duration',
    'Interval between full recalculations of quota usage by resourcequota-controller. 0: only after changes.',
    '5m0s',
  ),
  workers: ownFlag('int', 'Number of processes that serve the ports. More than one requires --etcd-servers.', '1'),
  http2: ownFlag(
    'string',
    'HTTP/2 implementation: own, that of this project, or builtin, that of Node, which a client can block (SECURITY.md).',
    'own',
  ),
  'service-addresses': ownFlag(
    'list',
    'Addresses of services for webhooks and aggregated servers, as NAMESPACE/NAME=HOST:PORT or NAMESPACE/NAME:PORT=HOST:PORT. For development without a cluster network.',
  ),
  'authorization-rules-file': ownFlag('string', 'YAML or JSON file of allow rules, for the mode Rules of --authorization-mode.'),

  // Listeners and serving certificates.
  'secure-port': used('int', 'Port of HTTPS, with HTTP/2 and HTTP/1.1. 0: a free one, the default with --ephemeral.', '6443'),
  'bind-address': used('ip', 'Address on which to listen for --secure-port.', '127.0.0.1'),
  'advertise-address': used(
    'ip',
    'Address at which other machines reach the server. Default: --bind-address, or if that is 0.0.0.0 the first address of this machine that is not loopback.',
  ),
  'cert-dir': used(
    'string',
    'Directory of the certificates. An existing pair apiserver.crt and apiserver.key is used. Default: pki in the data directory.',
  ),
  'tls-cert-file': used('string', 'Serving certificate, followed by its chain. Default: a generated one.'),
  'tls-private-key-file': used('string', 'Private key of --tls-cert-file.'),
  'external-hostname': used('string', 'Additional host name in the generated serving certificate.'),
  'permit-address-sharing': ignored('bool'),
  'permit-port-sharing': ignored('bool'),
  'tls-cipher-suites': used(
    'list',
    'Cipher suites for TLS 1.2 and earlier, by their Go names. TLS 1.3 suites are always enabled. Default: the secure ones.',
  ),
  'tls-curve-preferences': used(
    'list',
    'Key exchange groups, by their Go numbers: 23 (P-256), 24 (P-384), 25 (P-521), 29 (X25519). Default: those of OpenSSL.',
  ),
  'tls-min-version': used('string', 'Minimum TLS version: VersionTLS10, VersionTLS11, VersionTLS12 or VersionTLS13.', 'VersionTLS12'),
  'tls-sni-cert-key': used(
    'namedCertKey',
    'SNI certificate, key and optional host names or addresses, of which the first label may be *: cert,key or cert,key:name,name. Default: the names of the certificate. Can be repeated. Reloaded when the files change.',
  ),
  'strict-transport-security-directives': used(
    'list',
    'Directives of the Strict-Transport-Security header: max-age=SECONDS, includeSubDomains, preload. Default: no header.',
  ),
  'cors-allowed-origins': used(
    'list',
    'Regular expressions of origins whose pages may read responses (CORS). Each must be anchored at both ends of the host: //example\\.com(:|$).',
  ),
  'disable-http2-serving': used('bool', 'Serve HTTP/1.1 only.', 'false'),
  'http2-max-streams-per-connection': used(
    'int',
    'Maximum concurrent streams of an HTTP/2 connection. 0: 100. Default with --http2=builtin: 250.',
    '1000',
  ),
  'goaway-chance': used(
    'float',
    'Probability, up to 0.02, that an HTTP/2 request is followed by a GOAWAY, so that the client reconnects.',
    '0',
  ),
  'debug-socket-path': refusedFlag('string', ''),
  'egress-selector-config-file': used(
    'string',
    'EgressSelectorConfiguration file: how connections to the cluster, the control plane and etcd are dialled, directly (Direct) or through proxies (HTTPConnect).',
  ),
  'peer-advertise-ip': ignored('string'),
  'peer-advertise-port': ignored('string'),
  'peer-ca-file': ignored('string'),
  'proxy-client-cert-file': used('string', 'Client certificate for aggregated servers, which trust the user headers of requests with it.'),
  'proxy-client-key-file': used('string', 'Private key of --proxy-client-cert-file.'),

  // Store.
  'etcd-servers': used(
    'list',
    'etcd servers (scheme://host:port, host:port or unix:///path), comma separated. Default: the embedded store.',
  ),
  'etcd-cafile': used('string', 'CA of the etcd servers. This and the next two files are read for each connection.'),
  'etcd-certfile': used('string', 'Client certificate for etcd.'),
  'etcd-keyfile': used('string', 'Private key of --etcd-certfile.'),
  'etcd-prefix': used('string', 'Prefix of all keys in the store.', '/registry'),
  'etcd-compaction-interval': used('duration', 'Interval between compactions of the store. 0: this server does not compact.', '5m0s'),
  'etcd-healthcheck-timeout': used('duration', 'Timeout of the store in health checks.', '2s'),
  'etcd-readycheck-timeout': used('duration', 'Timeout of the store in the readiness check.', '2s'),
  'etcd-count-metric-poll-period': ignored('duration'),
  'etcd-db-metric-poll-interval': used('duration', 'Interval between queries of the store’s size. 0: none.', '30s'),
  'etcd-servers-overrides': used(
    'list',
    'etcd servers for single built-in resources, comma separated: group/resource#servers, with semicolons between servers. The core group is empty (/events#…).',
  ),
  'storage-backend': refusedFlag('string', '', 'etcd3'),
  'storage-media-type': used(
    'string',
    'Format of stored objects: application/json, or application/vnd.kubernetes.protobuf as in kube-apiserver. Both can always be read.',
    'application/json',
  ),
  'storage-initialization-timeout': ignored('duration'),
  'encryption-provider-config': used(
    'string',
    'EncryptionConfiguration file: resources that are encrypted in the store, with providers and keys.',
  ),
  'encryption-provider-config-automatic-reload': used(
    'bool',
    'Reload --encryption-provider-config when it changes, checked once a minute.',
    'false',
  ),
  'lease-reuse-duration-seconds': used(
    'int',
    'Maximum excess of an event’s TTL on etcd, so that events can share leases. At most a twentieth of the TTL.',
    '60',
  ),
  'event-ttl': used('duration', 'Retention of events.', '1h0m0s'),
  'watch-cache': used('bool', 'Serve reads and watches from memory. If false, each goes to the store.', 'true'),
  'watch-cache-sizes': used(
    'list',
    'resource[.group]#size,…: size 0 disables the watch cache of a resource. Other sizes have no effect, because caches adapt.',
  ),
  'default-watch-cache-size': ignored('int'),
  'delete-collection-workers': ignored('int'),
  'enable-garbage-collector': refusedFlag('bool', 'true'),

  // Authentication and authorization.
  'client-ca-file': used(
    'string',
    'CAs that authenticate client certificates, beside the generated one: the common name is the user, the organizations are the groups. An intermediate CA requires its root in the file. Reloaded when it changes.',
  ),
  'token-auth-file': used('string', 'CSV file of bearer tokens: token,user,uid,"group1,group2".'),
  'anonymous-auth': used('bool', 'Allow requests without credentials, as system:anonymous. If false, they are rejected with 401.', 'true'),
  'authorization-mode': used(
    'list',
    'Authorization modes, in order: Node, RBAC, ABAC, Webhook, AlwaysAllow, AlwaysDeny or Rules. system:masters is always allowed everything. Default: RBAC; with --authorization-rules-file Rules,RBAC.',
  ),
  'authorization-config': used(
    'string',
    'AuthorizationConfiguration file: the chain of authorizers, instead of --authorization-mode and --authorization-webhook-*. Reloaded when it changes.',
  ),
  'authorization-policy-file': used('string', 'Policy file of the mode ABAC, one JSON object per line.'),
  'authorization-webhook-cache-authorized-ttl': used('duration', 'How long the webhook’s authorized responses are cached.', '5m0s'),
  'authorization-webhook-cache-unauthorized-ttl': used('duration', 'How long the webhook’s unauthorized responses are cached.', '30s'),
  'authorization-webhook-config-file': used('string', 'Kubeconfig of the authorization webhook, for the mode Webhook.'),
  'authorization-webhook-version': used('string', 'Version of authorization.k8s.io for the webhook: v1 or v1beta1.', 'v1beta1'),
  'authentication-config': used('string', 'AuthenticationConfiguration file: JWT issuers and anonymous access. Reloaded when it changes.'),
  'authentication-token-webhook-cache-ttl': used('duration', 'How long responses of the token webhook are cached.', '2m0s'),
  'authentication-token-webhook-config-file': used('string', 'Kubeconfig of the webhook that authenticates bearer tokens.'),
  'authentication-token-webhook-version': used('string', 'Version of authentication.k8s.io for the webhook: v1 or v1beta1.', 'v1beta1'),
  'enable-bootstrap-token-auth': used(
    'bool',
    'Accept bootstrap tokens, with which nodes join: Secrets of type bootstrap.kubernetes.io/token in the namespace kube-system.',
    'false',
  ),
  'oidc-ca-file': used('string', 'CAs (PEM) of the issuer. Default: those of the system.'),
  'oidc-client-id': used('string', 'Audience that tokens of the issuer must have.'),
  'oidc-groups-claim': used('string', 'Claim with the groups of the user: a string or a list.'),
  'oidc-groups-prefix': used('string', 'Prefix for groups.'),
  'oidc-issuer-url': used('string', 'URL of the OpenID Connect issuer, https only. Its keys are discovered there.'),
  'oidc-required-claim': used('pair', 'claim=value that tokens must have. Can be repeated.'),
  'oidc-signing-algs': used('list', 'Accepted signature algorithms: RS, ES or PS with 256, 384 or 512.', 'RS256'),
  'oidc-username-claim': used('string', 'Claim with the name of the user.', 'sub'),
  'oidc-username-prefix': used('string', 'Prefix for user names; - for none. Default: the issuer and #, or none for the claim email.'),
  'requestheader-allowed-names': used(
    'list',
    'Common names of client certificates that may provide usernames in headers. If empty, any certificate of --requestheader-client-ca-file is accepted.',
  ),
  'requestheader-client-ca-file': used(
    'string',
    'CAs of front proxies. Requests with such a certificate are authenticated by their headers (--requestheader-username-headers). Reloaded when it changes.',
  ),
  'requestheader-extra-headers-prefix': used(
    'list',
    'Prefixes of headers with extra attributes of the user. X-Remote-Extra- is suggested.',
  ),
  'requestheader-group-headers': used('list', 'Headers with groups. X-Remote-Group is suggested.'),
  'requestheader-uid-headers': used(
    'list',
    'Headers with the UID of the user. X-Remote-Uid is suggested. Requires the gate RemoteRequestHeaderUID.',
  ),
  'requestheader-username-headers': used('list', 'Headers with the name of the user. X-Remote-User is common.'),
  'api-audiences': used('list', 'Audiences of this server in service account tokens. Default: the issuers.'),
  'service-account-extend-token-expiration': used(
    'bool',
    'Extend tokens that kubelets request to a year, with a claim that states when they should be renewed.',
    'true',
  ),
  'service-account-issuer': used(
    'list',
    'Issuer of service account tokens. Can be repeated: the first issues tokens, those of all are accepted.',
    'https://kubernetes.default.svc.cluster.local',
  ),
  'service-account-jwks-uri': used('string', 'URL of the token verification keys in the discovery document. Default: this server.'),
  'service-account-key-file': used('list', 'Keys or certificates that verify service account tokens, beside the key that signs them.'),
  'service-account-lookup': used('bool', 'Require that the Secret and the account of a token in a Secret still exist.', 'true'),
  'service-account-max-token-expiration': used(
    'duration',
    'Maximum lifetime of service account tokens. Longer requests are shortened. 0: unlimited.',
    '0s',
  ),
  'service-account-signing-endpoint': used(
    'string',
    'Unix socket of an external signer of service account tokens, a path or @NAME. Replaces key files. Requires the gate ExternalServiceAccountTokenSigner.',
  ),
  'service-account-signing-key-file': used(
    'string',
    'Private key that signs service account tokens. Default: a generated one, in sa.key beside the certificates, or in etcd for all servers on it.',
  ),

  // Admission and auditing.
  'admission-control-config-file': used(
    'string',
    'AdmissionConfiguration file: configurations of admission plugins, or paths of files with them.',
  ),
  'enable-admission-plugins': used('list', 'Admission plugins to enable beside the default ones. Unknown names are rejected.'),
  'disable-admission-plugins': used('list', 'Admission plugins to disable although they are on by default.'),
  'admission-control': used(
    'list',
    'All admission plugins to run. Deprecated: use --enable-admission-plugins and --disable-admission-plugins.',
  ),
  'default-not-ready-toleration-seconds': used(
    'int',
    'Toleration seconds for not-ready nodes, for pods without such a toleration (DefaultTolerationSeconds).',
    '300',
  ),
  'default-unreachable-toleration-seconds': used(
    'int',
    'Toleration seconds for unreachable nodes, for pods without such a toleration (DefaultTolerationSeconds).',
    '300',
  ),
  'audit-policy-file': used(
    'string',
    'Audit policy (audit.k8s.io/v1 Policy): which requests are audited, and at which level. Without it, none are.',
  ),
  'audit-log-path': used(
    'string',
    'File to which audit events are written. Created if missing, with mode 0600; - is standard output. Without it, there is no log.',
  ),
  'audit-webhook-config-file': used('string', 'Kubeconfig of the webhook to which audit events are posted. Without it, there is none.'),
  'audit-log-batch-buffer-size': used('int', 'Maximum number of buffered events; more are dropped. In batch mode.', '10000'),
  'audit-log-batch-max-size': used('int', 'Maximum number of events in a batch. In batch mode.', '1'),
  'audit-log-batch-max-wait': used('duration', 'Maximum time to wait for a batch to fill. In batch mode.', '0s'),
  'audit-log-batch-throttle-burst': used('int', 'Maximum number of batches written at once after a quiet period. In batch mode.', '0'),
  'audit-log-batch-throttle-enable': used('bool', 'Limit the number of batches written per second. In batch mode.', 'false'),
  'audit-log-batch-throttle-qps': used('float', 'Maximum average number of batches written per second. In batch mode.', '0'),
  'audit-log-compress': used('bool', 'Compress rotated logs with gzip.', 'false'),
  'audit-log-format': used('string', 'json, one audit.k8s.io/v1 Event per line, or legacy, one line of text per event.', 'json'),
  'audit-log-maxage': used('int', 'Maximum age of rotated logs, in days. 0: unlimited.', '0'),
  'audit-log-maxbackup': used('int', 'Maximum number of rotated logs. 0: unlimited.', '0'),
  'audit-log-maxsize': used('int', 'Size of a log in megabytes at which it is rotated. 0: 100.', '0'),
  'audit-log-mode': used(
    'string',
    'blocking: requests wait until their events are written. blocking-strict: also, a request fails if its first event cannot be written. batch: requests do not wait.',
    'blocking',
  ),
  'audit-log-truncate-enabled': used('bool', 'Remove objects from events that are too large, and drop those that still are.', 'false'),
  'audit-log-truncate-max-batch-size': used(
    'int',
    'Maximum bytes of a batch. Events are written one by one, so only the next flag is effective.',
    '10485760',
  ),
  'audit-log-truncate-max-event-size': used('int', 'Maximum bytes of an event, with --audit-log-truncate-enabled.', '102400'),
  'audit-log-version': used('string', 'Version of the events: audit.k8s.io/v1.', 'audit.k8s.io/v1'),
  'audit-webhook-batch-buffer-size': used('int', 'Maximum number of buffered events; more are dropped. In batch mode.', '10000'),
  'audit-webhook-batch-initial-backoff': used('duration', 'Deprecated name of --audit-webhook-initial-backoff.'),
  'audit-webhook-batch-max-size': used('int', 'Maximum number of events in a batch. In batch mode.', '400'),
  'audit-webhook-batch-max-wait': used('duration', 'Maximum time to wait for a batch to fill. In batch mode.', '30s'),
  'audit-webhook-batch-throttle-burst': used('int', 'Maximum number of batches sent at once after a quiet period. In batch mode.', '15'),
  'audit-webhook-batch-throttle-enable': used('bool', 'Limit the number of batches sent per second. In batch mode.', 'true'),
  'audit-webhook-batch-throttle-qps': used('float', 'Maximum average number of batches sent per second. In batch mode.', '10'),
  'audit-webhook-initial-backoff': used(
    'duration',
    'Delay before a failed call is retried. Each further delay is longer by half. Default: 10s.',
  ),
  'audit-webhook-mode': used(
    'string',
    'batch: requests do not wait for their events. blocking: they do. blocking-strict: also, a request fails if its first event cannot be sent.',
    'batch',
  ),
  'audit-webhook-truncate-enabled': used('bool', 'Remove objects from events that are too large, and drop those that still are.', 'false'),
  'audit-webhook-truncate-max-batch-size': used(
    'int',
    'Maximum bytes of a batch. Events are checked one by one, so only the next flag is effective.',
    '10485760',
  ),
  'audit-webhook-truncate-max-event-size': used('int', 'Maximum bytes of an event, with --audit-webhook-truncate-enabled.', '102400'),
  'audit-webhook-version': used('string', 'Version of the events: audit.k8s.io/v1.', 'audit.k8s.io/v1'),

  // Services.
  'service-cluster-ip-range': used('string', 'CIDR of cluster IPs, or two of different families, comma separated.', '10.0.0.0/24'),
  'service-node-port-range': used('string', 'Range of node ports, inclusive.', '30000-32767'),
  'kubernetes-service-node-port': refusedFlag('int', '0'),
  'apiserver-count': ignored('int'),
  'endpoint-reconciler-type': refusedFlag('string', 'lease', 'none', 'master-count'),
  'allow-privileged': ignored('bool'),
  'max-connection-bytes-per-sec': ignored('int'),
  'kubelet-certificate-authority': used('string', 'CA of the kubelets. Without it, their certificates are not verified.'),
  'kubelet-client-certificate': used('string', 'Client certificate for kubelets: logs, exec, attach, portforward and the node proxy.'),
  'kubelet-client-key': used('string', 'Private key of --kubelet-client-certificate.'),
  'kubelet-port': used('int', 'Port of kubelets whose Node does not report one.', '10250'),
  'kubelet-preferred-address-types': used(
    'list',
    'Types of node addresses at which kubelets are reached, in order of preference.',
    'Hostname,InternalDNS,InternalIP,ExternalDNS,ExternalIP',
  ),
  'kubelet-read-only-port': ignored('int'),
  'kubelet-timeout': ignored('duration'),
  'enable-logs-handler': refusedFlag('bool', 'false'),
  'enable-aggregator-routing': used(
    'bool',
    'Connect to endpoints instead of the cluster IP of services of aggregated servers and webhooks.',
    'false',
  ),
  'aggregator-reject-forwarding-redirect': used(
    'bool',
    'Reject redirects from aggregated servers instead of forwarding them to the client.',
    'true',
  ),
  'coordinated-leadership-lease-duration': ignored('duration'),
  'coordinated-leadership-renew-deadline': ignored('duration'),
  'coordinated-leadership-retry-period': ignored('duration'),

  // Limits and timeouts.
  'max-requests-inflight': used(
    'int',
    'With --max-mutating-requests-inflight, the total of concurrency seats; the sum must be positive. Without priority and fairness: maximum concurrent read requests; more get 429. 0: unlimited.',
    '400',
  ),
  'max-mutating-requests-inflight': used(
    'int',
    'With --max-requests-inflight, the total of concurrency seats. Without priority and fairness: maximum concurrent write requests; more get 429. 0: unlimited.',
    '200',
  ),
  'request-timeout': used('duration', 'Maximum duration of requests that are not long-running.', '1m0s'),
  'min-request-timeout': used('int', 'Minimum duration of watches without timeoutSeconds, in seconds.', '1800'),
  'shutdown-delay-duration': used('duration', 'Time for which the server accepts connections after /readyz starts to fail.', '0s'),
  'shutdown-watch-termination-grace-period': ignored('duration'),
  'shutdown-send-retry-after': ignored('bool'),
  'livez-grace-period': used('duration', 'Time after the start during which unfinished startup checks do not fail /livez.', '0s'),
  'enable-priority-and-fairness': used('bool', 'Queue requests by flow schemas and priority levels, instead of two fixed limits.', 'true'),

  // Release and API versions.
  'emulated-version': used('list', `Release whose behaviour is emulated: ${RELEASE_RANGE}.`, '1.33'),
  'min-compatibility-version': used(
    'list',
    'Oldest release that may run beside this server, and so must accept new expressions. Default: the one before the emulated release.',
  ),
  'feature-gates': used('map', 'Feature gates, as Gate=true or Gate=false. A value that is not implemented is an error.'),
  'runtime-config': used(
    'settings',
    'API versions and resources to enable or disable: group/version=true, group/version/resource=false. /v1 is the core group; api/all, api/ga, api/beta and api/alpha set many. Alpha and beta are off by default.',
  ),
  'emulation-forward-compatible': used(
    'bool',
    'Also serve beta and stable versions introduced after the emulated release if an older version of the kind is served.',
  ),
  'runtime-config-emulation-forward-compatible': used(
    'bool',
    'Allow --runtime-config to name versions introduced after the emulated release.',
  ),

  // Logging and internals.
  v: used('int', 'Log verbosity: 0 is quiet, 3 logs every request, 6 is detailed.', '0'),
  'logging-format': used('string', 'Log format: text or json.', 'text'),
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
    'metric,label=value,value: allowed values of a label; others are reported as unexpected. Several in quotes: "metric,label=a,b","other,label=c".',
  ),
  'allow-metric-labels-manifest': used('string', 'YAML file with the same as a map, used unless --allow-metric-labels is given.'),
  'disabled-metrics': used('list', 'Metrics that are not exposed.'),
  'show-hidden-metrics-for-version': used('string', 'The previous release, to expose metrics that it had and this one hides.'),
  'tracing-config-file': used('string', 'TracingConfiguration file: the OpenTelemetry collector and the sampling rate.'),
  help: used('bool', 'Print this help.', 'false'),
  version: used('string', 'Print the version.'),
} as const satisfies Readonly<Record<string, FlagSpec>>

/** Name of a flag. */
export type FlagName = keyof typeof FLAGS

/** Short names of flags, as in component-base. */
export const SHORT_NAMES: Readonly<Record<string, FlagName>> = { v: 'v', h: 'help' }
