export type AutoscalerRules = Readonly<{
  minReplicas: number;
  maxReplicas: number;
  /** The metric per replica. */
  targetAverage: number;
  /** Of several recommendations within this time the highest counts. */
  downStabilizationSeconds: number;
  /** At most this share may go within `downPeriodSeconds`. */
  downPercent: number;
  downPeriodSeconds: number;
}>;

/** How often the controller looks, and its tolerance: the defaults of Kubernetes. */
export const SYNC_SECONDS = 15;
const TOLERANCE = 0.1;
/** The default rule for growth, within one `SYNC_SECONDS`: the larger of twice as many and 4 more. */
const UP = { factor: 2, pods: 4 };

/**
 * The arithmetic of a Kubernetes HorizontalPodAutoscaler (autoscaling/v2) with one external metric of the type
 * AverageValue, as KEDA makes it.
 */
export function createAutoscaler(rules: AutoscalerRules) {
  const recommended: { at: number; replicas: number }[] = [];
  const past: { at: number; replicas: number }[] = [];

  /** The replicas from now on, by the metric and those there are. */
  function decide(at: number, current: number, metric: number): number {
    past.push({ at, replicas: current });
    const ratio = metric / (rules.targetAverage * current);
    const raw = Math.abs(1 - ratio) <= TOLERANCE ? current : Math.ceil(metric / rules.targetAverage);
    const within = Math.min(rules.maxReplicas, Math.max(rules.minReplicas, raw));
    recommended.push({ at, replicas: within });
    if (within > current) return Math.min(within, Math.max(current * UP.factor, current + UP.pods));
    const stable = highest(recommended, at - rules.downStabilizationSeconds);
    const before = highest(past, at - rules.downPeriodSeconds);
    const least = Math.floor(before * (1 - rules.downPercent / 100));
    return Math.min(current, Math.max(stable, least, rules.minReplicas));
  }
  return { decide };
}

function highest(records: readonly Readonly<{ at: number; replicas: number }>[], since: number): number {
  return Math.max(...records.filter(({ at }) => at > since).map(({ replicas }) => replicas));
}
