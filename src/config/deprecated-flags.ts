import type { FlagName } from './flag-table.ts'

/** Flags deprecated in kube-apiserver 1.33, with upstream's messages. */
const DEPRECATED: Partial<Readonly<Record<FlagName, string>>> = {
  'admission-control': 'Use --enable-admission-plugins or --disable-admission-plugins instead. Will be removed in a future version.',
  'apiserver-count': 'apiserver-count is deprecated and will be removed in a future version.',
  'audit-webhook-batch-initial-backoff': 'Deprecated, use --audit-webhook-initial-backoff instead.',
  'default-watch-cache-size': 'watch caches are sized automatically and this flag will be removed in a future version',
  'enable-logs-handler': 'Log handler functionality is deprecated',
  'kubelet-port': 'kubelet-port is deprecated and will be removed.',
  'kubelet-read-only-port': 'kubelet-read-only-port is deprecated and will be removed.',
}

/** Deprecation messages for the given flags, in pflag's words. */
export const flagDeprecations = (given: Iterable<FlagName>): string[] =>
  [...given].flatMap(name => (DEPRECATED[name] === undefined ? [] : [`Flag --${name} has been deprecated, ${DEPRECATED[name]}`]))
