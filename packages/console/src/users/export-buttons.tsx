/** Downloads of everything of a user; the browser saves the files, however long they are. */
export function ExportButtons({ userId }: Readonly<{ userId: string }>) {
  const address = `/v1/users/${encodeURIComponent(userId)}/export`;
  return (
    <>
      <a className="button" href={`${address}?format=jsonl`} download={`${toFileName(userId)}.jsonl`}>
        Export everything
      </a>
      <a className="button" href={`${address}?format=markdown`} download={`${toFileName(userId)}.md`}>
        Export as Markdown
      </a>
    </>
  );
}

function toFileName(userId: string): string {
  return userId.replaceAll(/[^\w.-]+/g, '_').slice(0, 80);
}
