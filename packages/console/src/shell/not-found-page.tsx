import { Link } from '@tanstack/react-router';
import { Empty } from '../ui/states.tsx';
import { PageHead } from '../ui/small.tsx';

export function NotFoundPage() {
  return (
    <>
      <PageHead title="No such page" name="No such page" />
      <Empty title="The console has no page at this address.">
        <Link to="/">Go to the start</Link>
      </Empty>
    </>
  );
}
