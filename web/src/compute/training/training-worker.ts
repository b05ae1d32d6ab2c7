// The Worker that trains: loads the module that can, on one thread, which is as quick for models this small.
import { loadTril } from 'tril/training';
import { serve } from '../serve';
import { born } from './born';

serve(loadTril, (tril, _, ask, session) => born(tril, ask as never, session as never));
