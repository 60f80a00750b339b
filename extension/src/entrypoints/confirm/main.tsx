import { Confirm } from '../../ui/confirm';
import { mount } from '../../ui/mount';

void mount(Confirm);
