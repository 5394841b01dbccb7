import type { MetricFamily } from '../../lib/metrics.ts'
import { PolledFamily } from '../../lib/polled-family.ts'
import type { FeatureState } from '../../lifecycle/gates.ts'
import type { VersionInfo } from '../version.ts'

/**
 * Returns the build information and the feature gates as metric families. They do not change while the server runs.
 * Source: k8s.io/component-base, metrics and featuregate.
 */
export function buildMetrics(version: VersionInfo, features: readonly FeatureState[]): MetricFamily[] {
  const { major, minor, gitVersion, gitCommit, gitTreeState, buildDate, goVersion, compiler, platform } = version
  return [
    new PolledFamily(
      'gauge',
      {
        name: 'kubernetes_build_info',
        help: "A metric with a constant '1' value labeled by major, minor, git version, git commit, git tree state, build date, Go version, and compiler from which Kubernetes was built, and platform on which it is running.",
        stability: 'ALPHA',
        labels: ['major', 'minor', 'git_version', 'git_commit', 'git_tree_state', 'build_date', 'go_version', 'compiler', 'platform'],
        across: 'max',
      },
      () => [[[major, minor, gitVersion, gitCommit, gitTreeState, buildDate, goVersion, compiler, platform], 1]],
    ),
    new PolledFamily(
      'gauge',
      {
        name: 'kubernetes_feature_enabled',
        help: 'This metric records the data about the stage and enablement of a k8s feature.',
        stability: 'BETA',
        labels: ['name', 'stage'],
        across: 'max',
      },
      () => features.map(({ name, stage, enabled }) => [[name, STAGE_LABEL[stage]], enabled ? 1 : 0] as const),
    ),
  ]
}

const STAGE_LABEL = { Alpha: 'ALPHA', Beta: 'BETA', GA: '', Deprecated: 'DEPRECATED' } as const

/** Counter of failed TLS handshakes of all listeners. */
export class HandshakeErrors {
  count = 0

  family(): MetricFamily {
    return new PolledFamily(
      'counter',
      {
        name: 'apiserver_tls_handshake_errors_total',
        help: "Number of requests dropped with 'TLS handshake error from' error",
        stability: 'ALPHA',
        labels: [],
      },
      () => [[[], this.count]],
    )
  }
}
