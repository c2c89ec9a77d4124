{{/* Environment, port and probes of a service's container. Needs `root`, `component`, `port`; `preStop` is the
     seconds between its end as an address of its Service and SIGTERM. */}}
{{- define "factmill.serviceContainer" -}}
envFrom:
  - configMapRef:
      name: {{ include "factmill.fullname" .root }}
ports:
  - name: http
    containerPort: {{ .port }}
# Time for loading a model. What is missing beside the process is no reason to restart it: that is readiness.
startupProbe:
  httpGet: { path: /healthz, port: http }
  periodSeconds: 2
  timeoutSeconds: 5
  failureThreshold: 60
livenessProbe:
  httpGet: { path: /healthz, port: http }
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 3
readinessProbe:
  httpGet: { path: /readyz, port: http }
  periodSeconds: 5
  timeoutSeconds: 5
  failureThreshold: 2
{{- if .preStop }}
# Until nobody sends new requests here.
lifecycle:
  preStop:
    exec:
      command: [sleep, {{ .preStop | quote }}]
{{- end }}
{{- end -}}

{{- define "factmill.serviceEnv" -}}
{{- $values := get .root.Values .component -}}
{{ include "factmill.secretEnv" . }}
{{- range $name, $value := $values.config }}
- name: {{ $name }}
  value: {{ include "factmill.text" $value | quote }}
{{- end }}
{{- with $values.env }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* Where the pods of a service go. Needs `root` and `component`. */}}
{{- define "factmill.placement" -}}
{{- $values := get .root.Values .component -}}
{{- $config := merge (dict) $values.config .root.Values.config -}}
{{- $graceMs := include "factmill.text" (default 10000 $config.SHUTDOWN_GRACE_MS) | int64 -}}
# SHUTDOWN_GRACE_MS, 5 s for what comes after it, and the time before it.
terminationGracePeriodSeconds: {{ add (div (add $graceMs 999) 1000) 5 (default 5 .preStop) }}
{{- with $values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with $values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $values.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
topologySpreadConstraints:
{{- if $values.topologySpreadConstraints }}
  {{- toYaml $values.topologySpreadConstraints | nindent 2 }}
{{- else }}
{{- range list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
  - topologyKey: {{ . }}
    maxSkew: 1
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "factmill.selector" $ | nindent 8 }}
    matchLabelKeys: [pod-template-hash]
{{- end }}
{{- end }}
{{- end -}}

{{/* A Deployment. Needs `root`, `component`, `port`, `preStop`, `strategy`; `volumes` and `volumeMounts` beside those of
     the values, and whether something else decides on the replicas (`scaled`). */}}
{{- define "factmill.deployment" -}}
{{- $root := .root -}}
{{- $values := get $root.Values .component -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "factmill.fullname" $root }}-{{ .component }}
  labels:
    {{- include "factmill.labels" . | nindent 4 }}
spec:
  {{- if not .scaled }}
  replicas: {{ $values.replicas }}
  {{- end }}
  revisionHistoryLimit: 5
  strategy:
    {{- toYaml .strategy | nindent 4 }}
  selector:
    matchLabels:
      {{- include "factmill.selector" . | nindent 6 }}
  template:
    metadata:
      labels:
        {{- include "factmill.labels" . | nindent 8 }}
        {{- with $values.podLabels }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      annotations:
        # Pods are replaced when their settings change.
        checksum/config: {{ include (print $root.Template.BasePath "/config.yaml") $root | sha256sum }}
        checksum/secret: {{ include (print $root.Template.BasePath "/secret.yaml") $root | sha256sum }}
        {{- with $values.podAnnotations }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
    spec:
      {{- include "factmill.podSpec" (dict
        "root" $root
        "name" .component
        "args" (list (printf "services/%s/dist/main.js" .component))
        "serviceAccountName" (include "factmill.serviceAccountName" $root)
        "env" (include "factmill.serviceEnv" .)
        "container" (include "factmill.serviceContainer" .)
        "pod" (include "factmill.placement" .)
        "resources" $values.resources
        "volumes" (concat (default (list) .volumes) $values.volumes)
        "volumeMounts" (concat (default (list) .volumeMounts) $values.volumeMounts)) | nindent 6 }}
{{- end -}}

{{/* A Service. Needs `root`, `component`, `port`; `headless` for one whose name stands for the
     addresses of its pods. */}}
{{- define "factmill.service" -}}
apiVersion: v1
kind: Service
metadata:
  name: {{ include "factmill.fullname" .root }}-{{ .component }}
  labels:
    {{- include "factmill.labels" . | nindent 4 }}
  {{- with .annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  {{- if .headless }}
  clusterIP: None
  {{- else }}
  type: {{ default "ClusterIP" .type }}
  {{- end }}
  selector:
    {{- include "factmill.selector" . | nindent 4 }}
  ports:
    - name: http
      port: {{ .port }}
      targetPort: http
{{- end -}}
